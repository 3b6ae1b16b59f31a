import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import type { FieldCondition, FormField } from "./form-model.ts";
import { checkName, TITLES } from "./form-model.ts";
import { CheckBox, Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface FieldEditorProps {
  readonly field: FormField;
  /** The fields that a condition can refer to. */
  readonly others: readonly FormField[];
  readonly onChange: (field: FormField) => void;
  /** Undefined if answers may exist under the name. */
  readonly onRename?: ((name: string) => void) | undefined;
  /** The names of the other fields. */
  readonly taken: readonly string[];
}

export function FieldEditor({ field, others, onChange, onRename, taken }: FieldEditorProps) {
  const set = (next: Partial<FormField>): void => onChange({ ...field, ...next });
  const hasOptions = field.type === "choice" || field.type === "many";
  return (
    <div className="cat-settings">
      <h2>{TITLES[field.type]}</h2>
      <Field label={field.type === "section" ? "Heading" : "Question"}>
        {(attributes) => (
          <TextInput
            {...attributes}
            data-question
            maxLength={200}
            value={field.title}
            onChange={({ target }) => set({ title: target.value })}
          />
        )}
      </Field>
      {field.type !== "section" && (
        <>
          <Field label="Help text" isOptional>
            {(attributes) => (
              <TextInput
                {...attributes}
                value={field.help}
                onChange={({ target }) => set({ help: target.value })}
              />
            )}
          </Field>
          {hasOptions && (
            <Field label="Options" help="Enter one option per line.">
              {(attributes) => (
                <TextArea
                  {...attributes}
                  rows={Math.min(10, field.options.length + 2)}
                  defaultValue={field.options.join("\n")}
                  onChange={({ target }) => set({ options: splitLines(target.value) })}
                />
              )}
            </Field>
          )}
          {INITIAL.has(field.type) && (
            <Field label="Default value" isOptional>
              {(attributes) => (
                <TextInput
                  {...attributes}
                  type={field.type === "date" ? "date" : "text"}
                  value={spellInitial(field.initial)}
                  onChange={({ target }) => set({ initial: toInitial(field, target.value) })}
                />
              )}
            </Field>
          )}
          <label className="cat-check">
            <CheckBox
              checked={field.isRequired}
              onChange={({ target }) => set({ isRequired: target.checked })}
            />
            Required
          </label>
          <Condition when={field.when} others={others} onChange={(when) => set({ when })} />
          <NameField key={field.name} name={field.name} {...{ onRename, taken }} />
          {field.type === "json" && (
            <>
              <p className="muted">The form builder can't show this field. It is kept unchanged.</p>
              <JsonTree value={field.rest} path="" label="JSON Schema" />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** The name under which workflows and reports read the answer. */
function NameField(props: {
  readonly name: string;
  readonly onRename: ((name: string) => void) | undefined;
  readonly taken: readonly string[];
}) {
  const { name, onRename, taken } = props;
  const [typed, setTyped] = useState(name);
  const problem = typed === name ? undefined : checkName(typed, taken);
  const help = onRename
    ? "Workflows read the value by this name. You can't change it after saving."
    : "Workflows read the value by this name. You can't change it.";
  return (
    <Field label="Field name" help={help} error={problem}>
      {(attributes) => (
        <TextInput
          {...attributes}
          isMono
          readOnly={onRename === undefined}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => typed !== name && problem === undefined && onRename?.(typed)}
        />
      )}
    </Field>
  );
}

const INITIAL: ReadonlySet<string> = new Set(["text", "area", "number", "choice", "date"]);

function spellInitial(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function toInitial({ type }: FormField, text: string): unknown {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return type === "number" && Number.isFinite(number) ? number : text;
}

const splitLines = (text: string): readonly string[] => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];

/** Shows or requires this field if another field has a certain value. */
function Condition(props: {
  readonly when: FieldCondition | undefined;
  readonly others: readonly FormField[];
  readonly onChange: (when: FieldCondition | undefined) => void;
}) {
  const { when, others, onChange } = props;
  const asked = others.find(({ name }) => name === when?.field);
  const values = asked?.type === "yes" ? ["true", "false"] : (asked?.options ?? []);
  if (others.length === 0 && !when) return null;
  return (
    <fieldset className="cat-condition">
      <legend>Condition</legend>
      <Select
        aria-label="Depends on field"
        value={when?.field ?? ""}
        onChange={({ target }) => {
          const other = others.find(({ name }) => name === target.value);
          const is = other?.type === "yes" ? true : other?.options[0];
          onChange(other && { field: other.name, is, effect: when?.effect ?? "show" });
        }}
      >
        <option value="">Always shown</option>
        {others.map(({ name, title }) => (
          <option key={name} value={name}>
            If “{title || name}”
          </option>
        ))}
      </Select>
      {when && (
        <>
          <Select
            aria-label="Value"
            value={String(when.is)}
            onChange={({ target }) =>
              onChange({
                ...when,
                is: asked?.type === "yes" ? target.value === "true" : target.value,
              })
            }
          >
            {values.map((value) => (
              <option key={value} value={value}>
                is {asked?.type === "yes" ? (value === "true" ? "yes" : "no") : value}
              </option>
            ))}
          </Select>
          <Select
            aria-label="Effect"
            value={when.effect}
            onChange={({ target }) =>
              onChange({ ...when, effect: target.value === "require" ? "require" : "show" })
            }
          >
            <option value="show">show this field</option>
            <option value="require">require this field</option>
          </Select>
        </>
      )}
    </fieldset>
  );
}
