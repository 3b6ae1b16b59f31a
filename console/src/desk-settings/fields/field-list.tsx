import "../../ui/display/steps.css";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { CheckField, LineField, SelectField } from "../frame/editor-form.tsx";
import { type OwnField, toKey, TYPES } from "./own-field.ts";
import { Button } from "../../ui/form/button.tsx";

interface FieldListProps {
  readonly fields: readonly OwnField[];
  readonly onChange: (fields: readonly OwnField[]) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

/** The own fields of a kind, in the order of the form. */
export function FieldList({ fields, onChange, errorOf }: FieldListProps) {
  const move = (n: number, by: number): void => {
    const field = fields[n];
    if (field) onChange(fields.toSpliced(n, 1).toSpliced(n + by, 0, field));
  };
  const add = (): void => {
    const key = toKey(
      "Field",
      fields.map((one) => one.key),
    );
    onChange([...fields, { key, name: "", type: "text" }]);
  };
  return (
    <section className="steps" aria-label="Fields">
      <ol>
        {fields.map((field, n) => (
          <li key={field.key} className="step">
            <header className="step-head">
              <code className="grow muted">fields.{field.key}</code>
              <MoveButtons n={n} count={fields.length} name={field.name} onMove={move} />
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Remove ${field.name || "the field"}`}
                onClick={() => onChange(fields.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </header>
            <FieldEditor
              field={field}
              taken={fields.filter((one) => one !== field).map(({ key }) => key)}
              errorOf={(name) => errorOf(`/fields/${n}/${name}`)}
              onChange={(next) => onChange(fields.with(n, next))}
            />
          </li>
        ))}
      </ol>
      <Button type="button" onClick={add}>
        <Plus /> Add a field
      </Button>
    </section>
  );
}

interface MoveButtonsProps {
  readonly n: number;
  readonly count: number;
  readonly name: string;
  readonly onMove: (n: number, by: number) => void;
}

function MoveButtons({ n, count, name, onMove }: MoveButtonsProps) {
  return (
    <>
      <Button
        look="bare"
        isIcon
        isSmall
        type="button"
        aria-label={`Move ${name || "the field"} up`}
        disabled={n === 0}
        onClick={() => onMove(n, -1)}
      >
        <ArrowUp />
      </Button>
      <Button
        look="bare"
        isIcon
        isSmall
        type="button"
        aria-label={`Move ${name || "the field"} down`}
        disabled={n === count - 1}
        onClick={() => onMove(n, 1)}
      >
        <ArrowDown />
      </Button>
    </>
  );
}

interface FieldEditorProps {
  readonly field: OwnField;
  readonly taken: readonly string[];
  readonly onChange: (field: OwnField) => void;
  readonly errorOf: (name: string) => string | undefined;
}

/** A key that nobody has used yet follows the name. */
const isFresh = ({ key }: OwnField): boolean => /^field\d*$/.test(key);

function FieldEditor({ field, taken, onChange, errorOf }: FieldEditorProps) {
  const leave = (): void => {
    if (isFresh(field) && field.name.trim() !== "") {
      onChange({ ...field, key: toKey(field.name, taken) });
    }
  };
  return (
    <>
      <div className="editor-columns" onBlur={leave}>
        <LineField
          label="Name"
          value={field.name}
          onChange={(name) => onChange({ ...field, name })}
          error={errorOf("name")}
        />
        <SelectField
          label="Type"
          value={field.type}
          options={TYPES}
          onChange={(type) => onChange({ ...field, type })}
        />
      </div>
      {field.type === "choice" && (
        <LineField
          label="Choices"
          help="One in a line"
          value={(field.choices ?? []).join("\n")}
          onChange={(text) => onChange({ ...field, choices: text.split("\n") })}
          error={errorOf("choices")}
          isArea
        />
      )}
      <LineField
        label="Help"
        value={field.help ?? ""}
        onChange={(help) => onChange({ ...field, help })}
        isOptional
      />
      <CheckField
        label="Required for agents"
        isOn={field.isRequired === true}
        onChange={(isRequired) => onChange({ ...field, isRequired })}
      />
    </>
  );
}
