import { type ReactNode, useRef } from "react";
import type { FormFrame } from "../../ui/form/binding.ts";
import {
  FormProblems,
  submitFinished,
  submitOnKeys,
  useFocusOnFailure,
} from "../../ui/form/form-parts.tsx";
import { Keys } from "../../ui/key.tsx";
import { useActions } from "../actions.ts";
import { Button } from "../../ui/form/button.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

interface FormPanelProps {
  readonly form: FormFrame;
  readonly label: string;
  /** Shows the title above the fields. */
  readonly hasTitle?: boolean;
  /** The label of the button, a verb. Default: `Save`. */
  readonly act?: string;
  /** True for new resources, which can be sent unchanged. */
  readonly isNew?: boolean;
  readonly children: ReactNode;
  /** Shown next to the fields. */
  readonly aside?: ReactNode;
  /** More buttons, at the end of the footer. */
  readonly others?: ReactNode;
}

/** A form inside a screen, saved with the button or Ctrl+S. Leaving with unsaved changes requires confirmation. */
export function FormPanel(props: FormPanelProps) {
  const { form, label, hasTitle = false, act = "Save", isNew = false } = props;
  const { children, aside, others } = props;
  const { isBusy, isDirty, refusal } = form;
  const box = useRef<HTMLFormElement>(null);
  const submit = (): void => submitFinished(box, form.submit);
  useFocusOnFailure(form, box);
  const disabled = refusal ?? (isDirty || isNew ? undefined : "No changes to save.");
  useActions([{ keys: "mod+s", label: act, run: submit, always: true, disabled }]);
  return (
    <>
      <form
        ref={box}
        className={aside === undefined ? "form-panel" : "form-panel with-aside"}
        aria-label={label}
        aria-busy={isBusy}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (disabled === undefined) submit();
        }}
        onKeyDown={(event) => submitOnKeys(event, submit)}
      >
        {hasTitle && <h2 className="form-title">{label}</h2>}
        <div className="form-fields">
          <FormProblems form={form} />
          {children}
        </div>
        {aside !== undefined && <div className="form-aside">{aside}</div>}
        <footer className="form-foot">
          <Button look="main" disabled={disabled !== undefined || isBusy} title={disabled}>
            {act} <Keys keys="mod+s" />
          </Button>
          {isDirty && !isNew && (
            <Button type="button" onClick={form.reset}>
              Discard changes
            </Button>
          )}
          <span className="grow" />
          {others}
        </footer>
      </form>
      <LeaveGuard form={form} />
    </>
  );
}
