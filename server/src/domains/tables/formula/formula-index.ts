/**
 * Indexes of formulas. A formula over columns of the record has the same value for all readers until the record
 * changes: PostgreSQL keeps it in an expression index, which filters and sorting use. No separate copy is stored
 * that could be outdated.
 */
import type { Partition } from "#kernel/db/partition.ts";
import { compileFormula } from "./compile-formula.ts";
import type { Table } from "../table.ts";
import { storedField } from "../schema/stored-field.ts";
import { resolveTable, type TableSchema } from "../schema/table-schema.ts";

/** The expression of an index and its columns, or the reason why it is not possible. */
export type FormulaIndex =
  | { readonly sql: string; readonly uses: ReadonlySet<string> }
  | { readonly error: string };

/** Compiles requested formula indexes by formula name. */
export function compileFormulaIndexes(
  table: Table,
  partition: Partition,
): ReadonlyMap<string, FormulaIndex> {
  const asked = table.columns.filter(({ type, indexed }) => type === "formula" && indexed);
  if (asked.length === 0) return NONE;
  const schema = resolveTable(table, partition);
  return new Map(asked.map(({ name }) => [name, compileFormulaIndex(schema, name)]));
}

const NONE: ReadonlyMap<string, FormulaIndex> = new Map();

/** Compiles the index of a formula. */
export function compileFormulaIndex(schema: TableSchema, name: string): FormulaIndex {
  const uses = new Set<string>();
  const compiled = compileOwn(schema, name, { uses, above: [] });
  return "error" in compiled ? compiled : { sql: compiled.sql, uses };
}

interface Compilation {
  readonly uses: Set<string>;
  /** The formulas that name this one. */
  readonly above: readonly string[];
}

function compileOwn(schema: TableSchema, name: string, { uses, above }: Compilation) {
  const { options = {} } = schema.computed.get(name) ?? {};
  let reason: string | undefined;
  const compiled = compileFormula(String(options["expression"]), (field) => {
    const stored = storedField(schema, field);
    if (stored) {
      uses.add(field);
      return stored;
    }
    if (schema.computed.get(field)?.type !== "formula" || [...above, name].includes(field)) {
      reason ??= `is not possible: ${field} is not stored in the record and can change independently`;
      return undefined;
    }
    const inner = compileOwn(schema, field, { uses, above: [...above, name] });
    if (!("error" in inner)) return inner;
    reason ??= inner.error;
    return undefined;
  });
  if (reason !== undefined) return { error: reason };
  if ("error" in compiled || compiled.isImmutable) return compiled;
  return {
    error: "is not possible: the text of a date or time depends on database settings",
  };
}
