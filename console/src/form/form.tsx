/**
 * One form for everything that has a JSON Schema: steps, connectors, requests of the portal, properties of an app. It
 * draws and keeps; the server decides what is right, and its errors stand at their fields.
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
  /** `pointer` says which field it was. */
  readonly onChange: (value: unknown, pointer: string) => void;
  /** The server's, as they came. */
  readonly errors?: readonly FieldError[];
  /** Where this form's value stands in the request, such as `/values`. */
  readonly base?: string;
  /** 28 px for those who do it all day; calm is 44 px, for those who do it twice a year. */
  readonly isDense?: boolean;
  readonly isDisabled?: boolean;
  /** These fields alone. */
  readonly only?: readonly string[];
  /** Draws some controls differently; undefined leaves one to the form. */
  readonly draw?: (props: FieldProps) => ReactNode;
  readonly upload?: (file: File) => Promise<string>;
  /** Off where errors stand elsewhere, too. */
  readonly hasSummary?: boolean;
}

const NO_ERRORS: readonly FieldError[] = [];

export function Form(props: FormProps) {
  const { schema, value, errors = NO_ERRORS, base = "", hasSummary = true } = props;
  const { isDense = false, isDisabled = false, only, draw, upload } = props;
  const id = useId();
  // Two changes of one event are both kept: the second is made on the first.
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

/** Takes the focus when errors come, and leads to each. One whose field is not on the form is told here at least. */
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
      <strong>
        {errors.size === 1 ? "One thing to put right" : `${errors.size} things to put right`}
      </strong>
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

/** The label of the field at a pointer: `Name, 2` for the second of a list. */
function labelAt(root: Schema, value: unknown, pointer: string): string {
  let schema = settleSchema(root, value, root);
  let label = "";
  let at = "";
  for (const name of parsePointer(pointer)) {
    const isItem = Array.isArray(readPointer(value, at));
    const next = isItem ? schema.items : schema.properties?.[name];
    // A field that a condition hides has its title in the schema as it is written.
    const hidden = next === false && at === "" ? root.properties?.[name] : undefined;
    const hiddenTitle = typeof hidden === "object" ? hidden.title : undefined;
    at += `/${name}`;
    schema = typeof next === "object" ? settleSchema(next, readPointer(value, at), root) : {};
    label = isItem
      ? `${label} ${Number(name) + 1}`
      : (schema.title ?? hiddenTitle ?? labelOf(name));
  }
  return label === "" ? "The form" : label;
}
