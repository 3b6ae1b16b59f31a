import type { ConditionField } from "#kernel/condition/sql.ts";
import { quotedColumn } from "../sql-names.ts";
import { SYSTEM_COLUMNS } from "../table.ts";
import type { TableSchema } from "./table-schema.ts";

/** A stored field, regardless of access rules; its column has no prefix. */
export function storedField(table: TableSchema, name: string): ConditionField | undefined {
  const column = table.byName.get(name);
  if (column) {
    const { columnType, indexed, quoted } = column;
    const containing = indexed && columnType.index === "gin";
    return {
      sql: quoted,
      kind: columnType.kind,
      type: columnType.parameterType,
      hasContainmentIndex: containing,
    };
  }
  const kind = SYSTEM_KINDS.get(name);
  return kind && { sql: quotedColumn(name), kind };
}

const SYSTEM_KINDS: ReadonlyMap<string, ConditionField["kind"]> = new Map(
  SYSTEM_COLUMNS.map(([name]) => [name, name.endsWith("At") ? "time" : "text"]),
);
