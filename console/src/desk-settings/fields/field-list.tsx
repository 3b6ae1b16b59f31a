import "../../ui/display/steps.css";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { type OwnField, toKey, TYPES } from "./own-field.ts";

interface FieldListProps {
  readonly list: FieldBinding<readonly OwnField[]>;
}

/** The custom fields of a ticket kind, in form order. */
export function FieldList({ list }: FieldListProps) {
  const { value, onChange } = list;
  const fields = value ?? [];
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
                aria-label={`Remove ${field.name || "field"}`}
                onClick={() => onChange(fields.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </header>
            <FieldEditor
              field={field}
              binding={partOf(list, n)}
              taken={fields.filter((one) => one !== field).map(({ key }) => key)}
            />
          </li>
        ))}
      </ol>
      <Button type="button" onClick={add}>
        <Plus /> Add field
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
        aria-label={`Move ${name || "field"} up`}
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
        aria-label={`Move ${name || "field"} down`}
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
  readonly binding: FieldBinding<OwnField>;
  readonly taken: readonly string[];
}

const toLines = (text: string): readonly string[] => text.split("\n").filter(Boolean);

/** The generated key of a new field follows its name. */
const isFresh = ({ key }: OwnField): boolean => /^field\d*$/.test(key);

function FieldEditor({ field, binding, taken }: FieldEditorProps) {
  const leave = (): void => {
    if (isFresh(field) && field.name.trim() !== "") {
      binding.onChange({ ...field, key: toKey(field.name, taken) });
    }
  };
  return (
    <>
      <Grid min="m" onBlur={leave}>
        <TextField {...partOf(binding, "name")} label="Name" />
        <SelectField {...partOf(binding, "type")} label="Type" options={TYPES} />
      </Grid>
      {field.type === "choice" && (
        <ListField
          {...partOf(binding, "choices")}
          label="Options"
          help="One option per line"
          rows={4}
          parse={toLines}
        />
      )}
      <TextField {...partOf(binding, "help", {})} label="Help text" />
      <CheckField {...partOf(binding, "isRequired")} label="Required for agents" />
    </>
  );
}
