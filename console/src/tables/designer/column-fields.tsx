import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { typeWord } from "../column/type-icon.tsx";
import type { TableShape } from "../column/column.ts";
import { type ColumnDraft, isIndexableType, NEW_COLUMN, TYPES } from "./column-draft.ts";
import { FormulaField } from "./formula-field.tsx";
import { VECTOR_TYPES, VectorFields } from "./vector-fields.tsx";
import { RELATION_TYPES, RelationFields } from "./relation-fields.tsx";

interface ColumnProps {
  readonly field: FieldBinding<ColumnDraft>;
}

interface ColumnFieldsProps extends ColumnProps {
  readonly table: TableShape;
  /** An existing column has an API name, which can be changed. */
  readonly hasName?: boolean;
}

/** The form fields of a column, depending on its type. */
export function ColumnFields({ field, table, hasName = false }: ColumnFieldsProps) {
  const { type } = field.value ?? NEW_COLUMN;
  return (
    <div className="column-fields">
      <TextField {...partOf(field, "title", { required: true, maxLength: 200 })} />
      <SelectField
        {...partOf(field, "type")}
        options={[...new Set([...TYPES, type])].map((one) => [one, typeWord(one)] as const)}
      />
      <TypeFields field={field} table={table} />
      <TextField {...partOf(field, "description", {})} />
      {isIndexableType(type) && <ColumnChecks field={field} />}
      {hasName && (
        <TextField
          {...partOf(field, "name", { required: true, maxLength: 63 })}
          label="API name"
          help="Used by the API and in formulas. If you change it, update your scripts and formulas too."
          isMono
        />
      )}
    </div>
  );
}

function ColumnChecks({ field }: ColumnProps) {
  const { type } = field.value ?? NEW_COLUMN;
  return (
    <div className="check-row">
      {type !== "formula" && <CheckField {...partOf(field, "isRequired")} label="Required" />}
      {type !== "links" && type !== "formula" && (
        <CheckField {...partOf(field, "isUnique")} label="Unique" />
      )}
      <CheckField {...partOf(field, "isIndexed")} label="Indexed" />
    </div>
  );
}

function TypeFields({ field, table }: ColumnFieldsProps) {
  const draft = field.value ?? NEW_COLUMN;
  const set = (next: Partial<ColumnDraft>): void => field.onChange({ ...draft, ...next });
  const { type } = draft;
  if (RELATION_TYPES.has(type)) return <RelationFields {...{ draft, set, table }} />;
  if (type === "formula") return <FormulaField {...{ draft, set, table }} />;
  if (VECTOR_TYPES.has(type)) return <VectorFields {...{ draft, set, table }} />;
  if (type === "enum" || type === "multi_enum") {
    return (
      <TextAreaField
        {...partOf(field, "values")}
        label="Options"
        help="Enter one option per line, in display order."
      />
    );
  }
  if (type === "decimal") {
    return <TextField {...partOf(field, "scale")} label="Decimal places" inputMode="numeric" />;
  }
  if (type !== "text") return null;
  return <CheckField {...partOf(field, "isMultiline")} label="Multiline" />;
}
