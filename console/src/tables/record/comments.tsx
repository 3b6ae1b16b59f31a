/** Comments on a record. An @ mention notifies that person. */
import { Trash2 } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { Button } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";

interface CommentsProps {
  readonly slug: string;
  readonly recordId: string;
}

export function Comments({ slug, recordId }: CommentsProps) {
  const me = useMe()?.user.id;
  const may = useMay();
  const nameOf = useNames();
  const params = { slug, recordId };
  const { data, error } = useOp("record_comments.list", { params, query: { limit: 100 } });
  const form = useForm("record_comments.add", { params, startsOver: true });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={4} />;
  return (
    <div className="comments">
      {data.data.length === 0 && <Empty title="No comments yet" />}
      <ol className="record-history">
        {data.data.map(({ id, body, createdBy, createdAt, editedAt }) => {
          const name = nameOf(createdBy) ?? "Unknown user";
          return (
            <li key={id}>
              <Avatar name={name} />
              <div className="grow">
                <p>
                  <strong>{name}</strong> <Ago at={createdAt} />
                  {editedAt !== null && <span className="muted"> · edited</span>}
                </p>
                <p className="comment-text">{body}</p>
              </div>
              {(createdBy === me || may("tables.create")) && (
                <Button
                  look="bare"
                  isIcon
                  type="button"
                  aria-label={`Delete comment by ${name}`}
                  title="Delete comment"
                  onClick={() =>
                    void perform("record_comments.delete", {
                      params: { ...params, commentId: id },
                    })
                  }
                >
                  <Trash2 />
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      <InlineForm form={form} label="Comment" act="Add comment" keys="mod+Enter" isMain>
        <TextAreaField
          {...form.field("body")}
          label="Comment"
          hidesLabel
          rows={2}
          placeholder="Add a comment…"
        />
      </InlineForm>
    </div>
  );
}
