/**
 * A form generated from a JSON Schema, for steps, connectors, portal requests and app properties. It edits the
 * value; the server validates it, and its errors are shown at their fields.
 */
import "./form.css";
import { type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import { useStableHandlers } from "../ui/behaviour/stable.ts";
import { type FieldPlace, type FieldProps, FormContext } from "./context.ts";
import { Field } from "./field.tsx";
import { ObjectFields } from "./object-fields.tsx";
import { parsePointer, readPointer, writePointer } from "./pointer.ts";
import { labelOf, type Schema, settleSchema } from "./schema.ts";
import type { FieldError } from "./values.ts";
import { PlainButton } from "../ui/form/button.tsx";

export interface FormProps {
  readonly schema: Schema;
  readonly value: unknown;
  /** `pointer` identifies the changed field. */
  readonly onChange: (value: unknown, pointer: string) => void;
  /** The server's errors, unchanged. */
  readonly errors?: readonly FieldError[];
  /** The JSON pointer of this form's value in the request, such as `/values`. */
  readonly base?: string;
  /** Controls are 28 px high for frequent users, and 44 px for occasional ones. */
  readonly isDense?: boolean;
  readonly isDisabled?: boolean;
  /** Only these fields are shown. */
  readonly only?: readonly string[];
  /** Renders some controls differently; undefined uses the default. */
  readonly draw?: (props: FieldProps) => ReactNode;
  readonly upload?: (file: File) => Promise<string>;
  /** False if errors are also shown elsewhere. */
  readonly hasSummary?: boolean;
}

const NO_ERRORS: readonly FieldError[] = [];

export function Form(props: FormProps) {
  const { schema, value, errors = NO_ERRORS, base = "", hasSummary = true } = props;
  const { isDense = false, isDisabled = false, only, draw, upload } = props;
  const id = useId();
  // A ref, so that two changes in one event are both applied.
  const newest = useRef(value);
  useEffect(() => {
    newest.current = value;
  });
  const { write } = useStableHandlers({
    write: (pointer: string, next: unknown): void => {
      newest.current = writePointer(newest.current, pointer, next);
      props.onChange(newest.current, pointer);
    },
  });
  const byPointer = useMemo(
    () =>
      new Map(
        errors.map(({ path, message }) => [
          path.startsWith(base) ? path.slice(base.length) : path,
          message,
        ]),
      ),
    [errors, base],
  );
  const state = useMemo(
    () => ({
      root: schema,
      id,
      errors: byPointer,
      write,
      draw,
      upload,
      isDense,
      isDisabled,
      renderField: (place: FieldPlace) => <Field {...place} />,
    }),
    [schema, id, byPointer, write, draw, upload, isDense, isDisabled],
  );
  return (
    <FormContext value={state}>
      <div className={isDense ? "form dense" : "form"}>
        {hasSummary && byPointer.size > 0 && (
          <Summary id={id} errors={byPointer} schema={schema} value={value} />
        )}
        <ObjectFields schema={schema} value={value} at="" only={only} />
      </div>
    </FormContext>
  );
}

/**
 * The error summary: gets the focus and links to each error. Errors of fields that are not on the form are listed
 * here.
 */
function Summary(props: {
  readonly id: string;
  readonly errors: ReadonlyMap<string, string>;
  readonly schema: Schema;
  readonly value: unknown;
}) {
  const { id, errors, schema, value } = props;
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => summary.current?.focus(), [errors]);
  const jump = (pointer: string): void => {
    const field = document.getElementById(id + pointer);
    field?.scrollIntoView({ block: "center" });
    field?.focus();
  };
  return (
    <div ref={summary} tabIndex={-1} role="alert" className="form-errors">
      <strong>{errors.size === 1 ? "1 problem to fix" : `${errors.size} problems to fix`}</strong>
      <ul>
        {[...errors].map(([pointer, message]) => (
          <li key={pointer}>
            <PlainButton type="button" onClick={() => jump(pointer)}>
              {labelAt(schema, value, pointer)}
            </PlainButton>{" "}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the label of the field at a pointer: `Name, 2` for the second item of a list. */
function labelAt(root: Schema, value: unknown, pointer: string): string {
  let schema = settleSchema(root, value, root);
  let label = "";
  let at = "";
  for (const name of parsePointer(pointer)) {
    const isItem = Array.isArray(readPointer(value, at));
    const next = isItem ? schema.items : schema.properties?.[name];
    // The title of a field hidden by a condition is only in the original schema.
    const hidden = next === false && at === "" ? root.properties?.[name] : undefined;
    const hiddenTitle = typeof hidden === "object" ? hidden.title : undefined;
    at += `/${name}`;
    schema = typeof next === "object" ? settleSchema(next, readPointer(value, at), root) : {};
    label = isItem
      ? `${label} ${Number(name) + 1}`
      : (schema.title ?? hiddenTitle ?? labelOf(name));
  }
  return label === "" ? "Form" : label;
}
