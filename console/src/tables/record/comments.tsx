/** What people say about a record. A name behind an @ tells that person of it. */
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { notifyError } from "../../ui/toast.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextArea } from "../../ui/form/controls.tsx";

interface CommentsProps {
  readonly slug: string;
  readonly recordId: string;
}

export function Comments({ slug, recordId }: CommentsProps) {
  const me = useMe()?.user.id;
  const may = useMay();
  const nameOf = useNames();
  const [text, setText] = useState("");
  const params = { slug, recordId };
  const { data, error } = useOp("record_comments.list", { params, query: { limit: 100 } });
  const send = async (): Promise<void> => {
    const body = text.trim();
    if (body === "") return;
    try {
      await call("record_comments.add", { params, body: { body } });
      setText("");
    } catch (problem) {
      notifyError(problem);
    }
  };
  const remove = async (commentId: string): Promise<void> => {
    await call("record_comments.delete", { params: { ...params, commentId } }).catch(notifyError);
  };
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={4} />;
  return (
    <div className="comments">
      {data.data.length === 0 && <Empty title="Nobody has said anything yet" />}
      <ol className="record-history">
        {data.data.map(({ id, body, createdBy, createdAt, editedAt }) => {
          const name = nameOf(createdBy) ?? "Somebody";
          return (
            <li key={id}>
              <Avatar name={name} />
              <div className="grow">
                <p>
                  <strong>{name}</strong> <Ago at={createdAt} />
                  {editedAt !== null && <span className="muted"> · changed</span>}
                </p>
                <p className="comment-text">{body}</p>
              </div>
              {(createdBy === me || may("tables.create")) && (
                <Button
                  look="bare"
                  isIcon
                  type="button"
                  aria-label={`Delete the comment of ${name}`}
                  title="Delete"
                  onClick={() => void remove(id)}
                >
                  <Trash2 />
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      <form
        className="comment-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <TextArea
          rows={2}
          aria-label="Comment"
          placeholder="Say something…"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void send();
          }}
        />
        <Button look="main" disabled={text.trim() === ""}>
          Comment
        </Button>
      </form>
    </div>
  );
}
