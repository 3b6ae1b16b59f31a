import { useMemo } from "react";
import { ExpressionField, type ScopeSource } from "../../code/index.ts";
import { useOp } from "../../data/api.ts";
import { isComputed, toGridColumns } from "../column/column.ts";
import { titleOf } from "../column/title.ts";
import type { TypeFieldsProps } from "./relation-fields.tsx";

/** A formula, with names that complete and what it makes of a record that is there. */
export function FormulaField({ draft, set, table }: TypeFieldsProps) {
  const { slug, columns } = table;
  const first = useOp("records.list", { params: { slug }, query: { limit: 1 } }).data?.data[0];
  const sources = useMemo(() => {
    const record = first as Readonly<Record<string, unknown>> | undefined;
    return columns
      .filter((column) => !isComputed(column))
      .map(({ name, title, type }): ScopeSource => ({
        path: name,
        title,
        isListedByTitle: true,
        // Nothing is not null here: a sum with it is nothing, as in the table, and no error.
        value: toOperand(type, record?.[name] ?? undefined),
      }));
  }, [columns, first]);
  return (
    <div className="formula-field">
      <span className="field-label">Formula</span>
      <ExpressionField
        label="Formula"
        mode="expression"
        value={draft.expression}
        onChange={(expression) => set({ expression })}
        sources={sources}
      />
      <p className="field-help">
        Enter API names of other columns, for example <code>price * amount</code>. The list shows
        their titles.
        {first && ` The result is that of “${titleOf(first, toGridColumns(table))}”.`}
      </p>
    </div>
  );
}

/** A decimal is written as a text, so that no digit is lost, and is a number to a formula. */
const toOperand = (type: string, value: unknown): unknown =>
  type === "decimal" && typeof value === "string" ? Number(value) : value;
