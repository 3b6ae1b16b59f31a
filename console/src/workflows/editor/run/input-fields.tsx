import { useState } from "react";
import { describeFaults } from "../../../data/error-words.ts";
import { parseValue, spellValue } from "../../../code/index.ts";
import {
  type FieldError,
  type FieldProps,
  Form,
  isFields,
  type Schema,
} from "../../../form/index.ts";
import { Tabs } from "../../../ui/tabs.tsx";
import { isEqual } from "../../graph/merge.ts";
import { JsonField } from "../panels/json-field.tsx";
import { isOpen, type RunInput } from "./run-input.ts";
import { TextInput } from "../../../ui/form/controls.tsx";

interface InputFieldsProps {
  readonly asked: RunInput;
  /** JSON text, from the fields or from the editor. */
  readonly text: string;
  readonly errors: readonly FieldError[];
  readonly onChange: (text: string) => void;
}

const TABS = [
  { id: "form", label: "Form" },
  { id: "json", label: "JSON" },
] as const;
type TabId = (typeof TABS)[number]["id"];

/** The input as form fields or as JSON; both edit the same text. */
export function InputFields({ asked, text, errors, onChange }: InputFieldsProps) {
  const { sentAs, schema } = asked;
  const value = readFields(text);
  const [chosen, setChosen] = useState<TabId>(value ? "form" : "json");
  const label = sentAs === "event" ? "Event (JSON)" : "Input (JSON)";
  return (
    <Tabs label="Input mode" tabs={TABS} chosen={chosen} onChoose={setChosen}>
      {chosen === "json" ? (
        <JsonField label={label} value={text} error={spellErrors(errors)} onChange={onChange} />
      ) : (
        <FieldsOf
          schema={schema}
          value={value}
          errors={errors}
          base={`/${sentAs}`}
          onChange={(next) => onChange(JSON.stringify(next, null, 2))}
        />
      )}
    </Tabs>
  );
}

interface FieldsOfProps {
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly FieldError[];
  readonly base: string;
  readonly onChange: (value: unknown) => void;
}

function FieldsOf({ schema, value, errors, base, onChange }: FieldsOfProps) {
  if (!value) {
    return <p className="muted">The input must be a JSON object to edit it as a form.</p>;
  }
  if (!schema.properties) {
    return <p className="muted">The steps do not use the input. To send input, select JSON.</p>;
  }
  return (
    <Form
      isDense
      schema={schema}
      value={value}
      errors={errors}
      base={base}
      draw={(field) => (isOpen(field.schema) ? <OpenInput {...field} /> : undefined)}
      onChange={onChange}
    />
  );
}

/** A field for any type: `5` is a number, `"5"` a text. The typed text stays until the value changes. */
function OpenInput(field: FieldProps) {
  const { value, onChange } = field;
  const [typed, setTyped] = useState(() => spellValue(value));
  const text = isEqual(parseValue(typed), value) ? typed : spellValue(value);
  return (
    <TextInput
      id={field.id}
      autoComplete="off"
      spellCheck={false}
      aria-describedby={field.describedBy}
      aria-invalid={field.error === undefined ? undefined : true}
      placeholder={field.schema["x-placeholder"]}
      value={text}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseValue(target.value));
      }}
    />
  );
}

function readFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function spellErrors(errors: readonly FieldError[]): string | undefined {
  if (errors.length === 0) return undefined;
  return describeFaults(errors);
}
