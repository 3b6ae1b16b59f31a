import { useState } from "react";
import { call } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Keys } from "../../ui/key.tsx";
import { notifyError } from "../../ui/toast.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextArea } from "../../ui/form/controls.tsx";

const FIELD = "change-comment";

/** A word on a change, for all who see it. */
export function CommentBox({ id }: { readonly id: string }) {
  const refusalOf = useRefusals();
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const disabled = refusalOf("changes.add_comment");
  useActions([
    { keys: "c", label: "Comment", run: () => document.getElementById(FIELD)?.focus(), disabled },
  ]);
  if (disabled !== undefined) return null;
  const send = async (): Promise<void> => {
    if (text.trim() === "") return;
    setBusy(true);
    try {
      await call("changes.add_comment", { params: { id }, body: { body: text.trim() } });
      setText("");
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="comment-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextArea
        className="grow"
        id={FIELD}
        rows={1}
        aria-label="Comment"
        placeholder="Comment…"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      <Button disabled={isBusy || text.trim() === ""}>
        Send <Keys keys="mod+Enter" />
      </Button>
    </form>
  );
}
