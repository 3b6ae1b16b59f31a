import { Field } from "../../ui/field.tsx";
import { typeWord } from "../column/type-icon.tsx";
import type { TableShape } from "../column/column.ts";
import { type ColumnDraft, isIndexableType, TYPES } from "./column-draft.ts";
import { FormulaField } from "./formula-field.tsx";
import { VECTOR_TYPES, VectorFields } from "./vector-fields.tsx";
import { RELATION_TYPES, RelationFields, type TypeFieldsProps } from "./relation-fields.tsx";
import { CheckBox, Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface ColumnFieldsProps {
  readonly draft: ColumnDraft;
  readonly onChange: (draft: ColumnDraft) => void;
  readonly table: TableShape;
}

/** The form fields of a column, depending on its type. */
export function ColumnFields({ draft, onChange, table }: ColumnFieldsProps) {
  const set = (next: Partial<ColumnDraft>): void => onChange({ ...draft, ...next });
  return (
    <div className="column-fields">
      <Field label="Title">
        {(control) => (
          <TextInput
            {...control}
            value={draft.title}
            maxLength={200}
            onChange={({ target }) => set({ title: target.value })}
          />
        )}
      </Field>
      <Field label="Type">
        {(control) => (
          <Select
            {...control}
            value={draft.type}
            onChange={({ target }) => set({ type: target.value })}
          >
            {[...new Set([...TYPES, draft.type])].map((type) => (
              <option key={type} value={type}>
                {typeWord(type)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <TypeFields draft={draft} set={set} table={table} />
      <Field label="Description" isOptional>
        {(control) => (
          <TextInput
            {...control}
            value={draft.description}
            onChange={({ target }) => set({ description: target.value })}
          />
        )}
      </Field>
      {isIndexableType(draft.type) && <ColumnChecks draft={draft} set={set} />}
      {draft.name !== "" && (
        <Field
          label="API name"
          help="Used by the API and in formulas. If you change it, update your scripts and formulas too."
        >
          {(control) => (
            <TextInput
              {...control}
              className="code"
              value={draft.name}
              maxLength={63}
              onChange={({ target }) => set({ name: target.value.trim() })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function ColumnChecks({ draft, set }: Pick<TypeFieldsProps, "draft" | "set">) {
  return (
    <div className="check-row">
      {draft.type !== "formula" && (
        <Check
          label="Required"
          isOn={draft.isRequired}
          onChange={(isRequired) => set({ isRequired })}
        />
      )}
      {draft.type !== "links" && draft.type !== "formula" && (
        <Check label="Unique" isOn={draft.isUnique} onChange={(isUnique) => set({ isUnique })} />
      )}
      <Check label="Indexed" isOn={draft.isIndexed} onChange={(isIndexed) => set({ isIndexed })} />
    </div>
  );
}

function TypeFields({ draft, set, table }: TypeFieldsProps) {
  if (RELATION_TYPES.has(draft.type)) return <RelationFields {...{ draft, set, table }} />;
  if (draft.type === "formula") return <FormulaField {...{ draft, set, table }} />;
  if (VECTOR_TYPES.has(draft.type)) return <VectorFields {...{ draft, set, table }} />;
  if (draft.type === "enum" || draft.type === "multi_enum") {
    return (
      <Field label="Options" help="Enter one option per line, in display order.">
        {(control) => (
          <TextArea
            {...control}
            rows={4}
            value={draft.values}
            onChange={({ target }) => set({ values: target.value })}
          />
        )}
      </Field>
    );
  }
  if (draft.type === "decimal") {
    return (
      <Field label="Decimal places">
        {(control) => (
          <TextInput
            {...control}
            type="number"
            min={0}
            max={10}
            value={draft.scale}
            onChange={({ target }) => set({ scale: target.value })}
          />
        )}
      </Field>
    );
  }
  if (draft.type !== "text") return null;
  return (
    <Check
      label="Multiline"
      isOn={draft.isMultiline}
      onChange={(isMultiline) => set({ isMultiline })}
    />
  );
}

function Check(props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check-line">
      <CheckBox checked={props.isOn} onChange={({ target }) => props.onChange(target.checked)} />
      {props.label}
    </label>
  );
}
