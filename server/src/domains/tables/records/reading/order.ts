import { type Key, readOrder } from "#kernel/list/order.ts";
import type { KnownTable } from "../../table-schema.ts";
import type { Sight } from "../../rules/rule-sql.ts";

const NEWEST_FIRST = "-id";

/** The order of a list of records, as somebody with this sight may have it. */
export function readSort(table: KnownTable, sight: Sight, sort = NEWEST_FIRST): readonly Key[] {
  return readOrder(sort, "id", (name) => {
    const field = sight.field(name);
    const column = table.byName.get(name);
    return (
      field && {
        sql: field.sql,
        kind: field.kind,
        type: column?.is.parameterType ?? (field.kind === "time" ? "timestamptz" : "text"),
        nullable: !sight.isPlain(name) || column?.required === false,
      }
    );
  });
}
