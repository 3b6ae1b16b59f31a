import { useForm } from "../../data/form/use-form.ts";
import { useActions } from "../../shell/actions.ts";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";

const FIELD = ".comment-box textarea";

/** A comment box; comments are visible to everyone who can see the change. */
export function CommentBox({ id }: { readonly id: string }) {
  const form = useForm("changes.add_comment", { params: { id }, startsOver: true });
  useActions([
    {
      keys: "c",
      label: "Comment",
      run: () => document.querySelector<HTMLElement>(FIELD)?.focus(),
      disabled: form.refusal,
    },
  ]);
  if (form.refusal !== undefined) return null;
  return (
    <div className="comment-box">
      <InlineForm form={form} label="Comment" act="Send" keys="mod+Enter" isLine>
        <TextAreaField
          {...form.field("body")}
          label="Comment"
          hidesLabel
          rows={1}
          placeholder="Comment…"
        />
      </InlineForm>
    </div>
  );
}
