import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import type { Act } from "./acts.ts";

/** Asks for a word before an act that goes into the record; the word may be left out. */
export function ActDialog(props: {
  readonly act: Act;
  readonly onAct: (words: string) => Promise<boolean>;
  readonly onClose: () => void;
}) {
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    const isDone = await props.onAct(words.trim());
    setBusy(false);
    if (isDone) props.onClose();
  };
  return (
    <Dialog
      title={props.act.label}
      onClose={props.onClose}
      onSubmit={() => void submit()}
      footer={
        <button className="btn main" disabled={isBusy}>
          {props.act.label}
        </button>
      }
    >
      <Field label={props.act.asks === "reason" ? "Why" : "Notes"} isOptional>
        {(attributes) => (
          <textarea
            {...attributes}
            className="field"
            rows={4}
            value={words}
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}
