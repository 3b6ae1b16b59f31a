import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { Keys } from "../key.tsx";
import { Row, Stack } from "../layout/layout.tsx";
import type { FormFrame } from "./binding.ts";
import { Button } from "./button.tsx";
import { FormProblems, submitFinished, submitOnKeys, useFocusOnFailure } from "./form-parts.tsx";

interface InlineFormProps {
  readonly form: FormFrame;
  readonly label: string;
  /** The content of the submit button. */
  readonly act: ReactNode;
  /** The shortcut that submits from a multi-line field: with `Enter`, a line break needs Shift. */
  readonly keys?: "Enter" | "mod+Enter" | undefined;
  readonly isMain?: boolean;
  /** Field and button in one line. */
  readonly isLine?: boolean;
  /** Shows the buttons only after a change. */
  readonly isQuiet?: boolean;
  /** More buttons: before the main one in a row, after it in a line. */
  readonly others?: ReactNode;
  /** Called on Escape; without it, Escape leaves the field. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A small form within a page, such as a comment box. Leaving the page does not ask about unsaved changes. */
export function InlineForm(props: InlineFormProps) {
  const {
    form,
    label,
    act,
    keys,
    isMain = false,
    isLine = false,
    isQuiet = false,
    others,
    onClose,
    children,
  } = props;
  const box = useRef<HTMLFormElement>(null);
  useFocusOnFailure(form, box);
  const submit = (): void => submitFinished(box, form.submit);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { target } = event;
    if (event.key === "Escape" && target instanceof HTMLElement)
      (onClose ?? (() => target.blur()))();
    const isNewLine = event.shiftKey || !(target instanceof HTMLTextAreaElement);
    if (keys === "Enter" && event.key === "Enter" && !isNewLine) {
      event.preventDefault();
      submit();
    } else submitOnKeys(event, submit);
  };
  const button = (
    <Button look={isMain ? "main" : undefined} refusal={form.refusal} disabled={form.isBusy}>
      {act} {keys !== undefined && <Keys keys={keys} />}
    </Button>
  );
  return (
    <form
      ref={box}
      aria-label={label}
      aria-busy={form.isBusy}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={onKeyDown}
    >
      <Stack gap={5} align="stretch">
        <FormProblems form={form} />
        {isLine ? (
          <Row className="form-line" align="start">
            {children}
            {button}
            {others}
          </Row>
        ) : (
          <>
            {children}
            {(form.isDirty || !isQuiet) && (
              <Row wraps>
                {others}
                <span className="grow" />
                {button}
              </Row>
            )}
          </>
        )}
      </Stack>
    </form>
  );
}
