import { SYSTEM_COLUMNS } from "../../table.ts";

/** Reserved column names: PostgreSQL system columns, event fields and condition keywords. */
const POSTGRES_COLUMNS = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];
const EVENT_FIELDS = ["tableSlug", "tableId", "tableRevision"];
const CONDITION_WORDS = ["and", "or", "not"];
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  [
    ...SYSTEM_COLUMNS.flat(),
    "revision",
    ...EVENT_FIELDS,
    "table_slug",
    ...POSTGRES_COLUMNS,
    ...CONDITION_WORDS,
  ].map((name) => name.toLowerCase()),
);

/** True for a name that no column may have. */
export function isReserved(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}
