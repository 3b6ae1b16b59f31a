import { useMemo } from "react";
import { ExpressionField, type ScopeSource } from "../../code/index.ts";
import { useOp } from "../../data/api.ts";
import { isComputed, toGridColumns } from "../column/column.ts";
import { titleOf } from "../column/title.ts";
import type { TypeFieldsProps } from "./relation-fields.tsx";

/** A formula editor with completion and the result for an existing record. */
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
        // Missing values are undefined instead of null, so a sum is empty instead of failing.
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
        Enter API names of columns. Example: <code>price * amount</code>. The list below shows the
        column titles.
        {first && ` The result has the type of “${titleOf(first, toGridColumns(table))}”.`}
      </p>
    </div>
  );
}

/** Decimals are strings in the API to keep all digits; formulas calculate with numbers. */
const toOperand = (type: string, value: unknown): unknown =>
  type === "decimal" && typeof value === "string" ? Number(value) : value;
