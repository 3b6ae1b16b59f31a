/** Common parts of dialogs and panels with a form. */
import "./form.css";
import { type KeyboardEvent, type RefObject, useEffect } from "react";
import { splitWords } from "../words.ts";
import type { FormFrame } from "./binding.ts";

/** Errors of the whole form, or conflicting changes of other users. */
export function FormProblems({ form }: { readonly form: FormFrame }) {
  const { problems, conflict, isBusy } = form;
  return (
    <>
      {problems.length > 0 && (
        <div className="problem" role="alert">
          <div>
            {problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        </div>
      )}
      {conflict && (
        <div className="problem" role="alert">
          <p className="grow">
            Another user changed{" "}
            {conflict.fields.map((name) => splitWords(name)).join(" and ") || "this"} while you were
            editing. Your changes are not saved yet.
          </p>
          {conflict.takeTheirs && (
            <button type="button" className="btn" disabled={isBusy} onClick={conflict.takeTheirs}>
              Use their version
            </button>
          )}
          <button type="button" className="btn" disabled={isBusy} onClick={conflict.keepMine}>
            Save my version
          </button>
        </div>
      )}
    </>
  );
}

const FIRST_WRONG = "[aria-invalid=true], [data-invalid] input, [role=alert] button";

/** After each failed attempt, the first invalid field gets the focus. */
export function useFocusOnFailure(
  { failures }: Pick<FormFrame, "failures">,
  box: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    if (failures > 0) box.current?.querySelector<HTMLElement>(FIRST_WRONG)?.focus();
  }, [failures, box]);
}

/** Inputs that are not yet part of the form's values, such as incomplete JSON, and native required ones. */
const UNFINISHED = ":is([required], [data-unfinished] input):invalid";

/** Shows the message of the first unfinished input; without one, submits the form. */
export function submitFinished(box: RefObject<HTMLElement | null>, submit: () => void): void {
  const control = box.current?.querySelector<HTMLInputElement>(UNFINISHED);
  if (control) control.reportValidity();
  else submit();
}

/** Ctrl+Enter submits a form from any field, also where Enter inserts a line break. */
export function submitOnKeys(event: KeyboardEvent<HTMLElement>, submit: () => void): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  submit();
}
