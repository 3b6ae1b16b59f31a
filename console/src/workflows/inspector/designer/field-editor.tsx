import { Field } from "../../../ui/field.tsx";
import {
  FIELD_TYPES,
  FIELD_WORDS,
  type FieldType,
  type FormField,
  hasOptions,
  typeOf,
} from "./form-pages.ts";
import { CheckBox, Select, TextArea, TextInput } from "../../../ui/form/controls.tsx";

interface FieldEditorProps {
  readonly field: FormField;
  readonly onChange: (field: FormField) => void;
}

/** The settings of one field; empty settings are omitted. */
export function FieldEditor({ field, onChange }: FieldEditorProps) {
  const set = (name: keyof FormField, value: unknown): void => {
    const { [name]: _, ...rest } = field;
    const isNothing = value === "" || value === false || value === undefined;
    onChange((isNothing ? rest : { ...rest, [name]: value }) as FormField);
  };
  const setType = (type: FieldType): void => {
    const { type: _, options, ...rest } = field;
    const isChoice = type === "choice" || type === "choices";
    onChange({
      ...rest,
      ...(type !== "text" && { type }),
      ...(isChoice && { options: options ?? ["One", "Two"] }),
    });
  };
  const text = (label: string, name: "label" | "name" | "help" | "placeholder" | "value") => (
    <Field label={label} isOptional={name !== "name"}>
      {(control) => (
        <TextInput
          {...control}
          value={field[name] ?? ""}
          maxLength={name === "name" ? 100 : 200}
          onChange={({ target }) =>
            name === "name" ? onChange({ ...field, name: target.value }) : set(name, target.value)
          }
        />
      )}
    </Field>
  );
  return (
    <div className="form-field-editor">
      {text("Label", "label")}
      <Field label="Type">
        {(control) => (
          <Select
            {...control}
            value={typeOf(field)}
            onChange={({ target }) => setType(target.value as FieldType)}
          >
            {FIELD_TYPES.map((type) => (
              <option key={type} value={type}>
                {FIELD_WORDS[type]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {text("Name in expressions", "name")}
      {hasOptions(field) && (
        <Field label="Options" help="One option per line, in display order.">
          {(control) => (
            <TextArea
              {...control}
              rows={4}
              defaultValue={(field.options ?? []).join("\n")}
              onChange={({ target }) => {
                const options = [...new Set(target.value.split("\n").map((one) => one.trim()))];
                onChange({ ...field, options: options.filter(Boolean) });
              }}
            />
          )}
        </Field>
      )}
      {text("Help text", "help")}
      {text("Placeholder", "placeholder")}
      {text("Default value", "value")}
      <label className="check-line">
        <CheckBox
          checked={field.required === true}
          onChange={({ target }) => set("required", target.checked)}
        />
        Required
      </label>
    </div>
  );
}
