import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import type { Act, ActWords } from "./acts.ts";

interface ActDialogProps {
  readonly act: Act;
  /** Why the act is unusual now: a reason is required then. */
  readonly warnings: readonly string[];
  readonly onAct: (words: ActWords) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Asks for notes or a reason before an act. They are recorded with it. */
export function ActDialog({ act, warnings, onAct, onClose }: ActDialogProps) {
  const [words, setWords] = useState("");
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const needsReason = warnings.length > 0;
  const isReady = !isBusy && (!needsReason || reason.trim() !== "");
  const submit = async (): Promise<void> => {
    if (!isReady) return;
    setBusy(true);
    const isDone = await onAct({ words: words.trim(), reason: reason.trim() });
    setBusy(false);
    if (isDone) onClose();
  };
  const text = (
    label: string,
    value: string,
    onChange: (text: string) => void,
    isOptional: boolean,
  ) => (
    <Field label={label} isOptional={isOptional}>
      {(attributes) => (
        <textarea
          {...attributes}
          className="field"
          rows={isOptional ? 4 : 2}
          maxLength={2_000}
          required={!isOptional}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
          }}
        />
      )}
    </Field>
  );
  return (
    <Dialog
      title={act.label}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <button className="btn main" disabled={!isReady}>
          {act.label}
        </button>
      }
    >
      <div className="change-form">
        {needsReason && (
          <>
            <ul className="change-warnings">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
            {text("Reason to start now", reason, setReason, false)}
          </>
        )}
        {text(act.asks === "reason" ? "Why" : "Notes", words, setWords, true)}
      </div>
    </Dialog>
  );
}
