import { type ReactNode, useEffect, useRef, useState } from "react";
import { Keys } from "../key.tsx";
import { Confirm } from "../overlay/confirm.tsx";
import { Dialog } from "../overlay/dialog.tsx";
import type { FormFrame } from "./binding.ts";
import { FormProblems, submitFinished, submitOnKeys, useFocusOnFailure } from "./form-parts.tsx";

interface FormDialogProps {
  readonly form: FormFrame;
  readonly title: string;
  /** The label of the submit button, a verb. Default: `Save`. */
  readonly act?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** More buttons, at the start of the footer. */
  readonly others?: ReactNode;
  readonly isWide?: boolean;
  /** Another dialog with its own form. */
  readonly beside?: ReactNode;
}

/**
 * A form in a dialog. Enter in a one-line field submits it, Ctrl+Enter anywhere; Escape asks before it discards
 * changes.
 */
export function FormDialog(props: FormDialogProps) {
  const { form, title, act = "Save", onClose, children, others, isWide = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [isAsking, setAsking] = useState(false);
  const main = useRef<HTMLButtonElement>(null);
  useFocusOnFailure(form, box);
  const isDisabled = form.isBusy || form.refusal !== undefined;
  // The button gets the focus if there are no fields, so that Enter confirms.
  useEffect(() => {
    const hasFields = box.current?.querySelector("input, textarea, select") != null;
    const isFocused = box.current?.contains(document.activeElement) === true;
    if (!isDisabled && !hasFields && !isFocused) main.current?.focus();
  }, [isDisabled]);
  const submit = (): void => (form.isUnchanged ? onClose() : submitFinished(box, form.submit));
  const mayClose = (): boolean => {
    if (form.isDirty) setAsking(true);
    return !form.isDirty;
  };
  return (
    <>
      <Dialog
        title={title}
        isWide={isWide}
        onClose={onClose}
        mayClose={mayClose}
        onSubmit={submit}
        footer={
          <>
            {others}
            <span className="grow" />
            <button type="button" className="btn" onClick={() => mayClose() && onClose()}>
              Cancel
            </button>
            <button ref={main} className="btn main" disabled={isDisabled} title={form.refusal}>
              {act} <Keys keys="mod+Enter" />
            </button>
          </>
        }
      >
        <div
          ref={box}
          className="form-fields"
          aria-busy={form.isBusy}
          onKeyDown={(event) => submitOnKeys(event, submit)}
        >
          <FormProblems form={form} />
          {children}
        </div>
      </Dialog>
      {props.beside}
      {isAsking && (
        <Confirm
          title="Discard changes?"
          act="Discard"
          keep="Keep editing"
          onAct={onClose}
          onClose={() => setAsking(false)}
        >
          Your input is not saved.
        </Confirm>
      )}
    </>
  );
}
