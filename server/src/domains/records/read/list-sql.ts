import type { Tx } from "#kernel/db/connection.ts";
import { SqlParameters, type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { type SortKey, orderBySql, type Part, afterCursorConditions } from "#kernel/list/order.ts";
import type { ParsedRecordQuery } from "./record-query.ts";
import { type VisibleColumns, toRecord } from "../record.ts";

/** A list of records: a question and its order. */
export interface RecordListing {
  readonly asked: ParsedRecordQuery;
  readonly keys: readonly SortKey[];
}

/** Where a list goes on: the values by which the last record before it is sorted. */
export type ListPosition = readonly unknown[];

/** A record of a list, and its place there. */
export interface ListedRecords {
  readonly record: VisibleColumns;
  readonly place: ListPosition;
}

/** Up to so many records behind a place, or from the beginning. */
export async function listRecordsSql(
  tx: Tx,
  { asked, keys }: RecordListing,
  after: ListPosition | undefined,
  count: number,
): Promise<ListedRecords[]> {
  const parts: readonly (Part | undefined)[] = after
    ? afterCursorConditions(keys, after)
    : [undefined];
  const rows: SqlRow[] = [];
  for (const part of parts) {
    if (rows.length >= count) break;
    const { text, values } = statementOf({ asked, keys }, part, count);
    rows.push(...(await queryRows(tx, text, values)));
  }
  const hidden = hiddenIn({ asked, keys });
  const names = keys.map((key) => (hidden.includes(key) ? HIDDEN + key.field : key.field));
  return rows.slice(0, count).map((row) => {
    const place = names.map((name) => row[name]);
    const shown = hidden.length === 0 ? row : shownIn(asked, row);
    return { record: toRecord(asked.table, shown), place };
  });
}

/** How many records a question finds. */
export async function countOf(
  tx: Tx,
  { table, where, parameters }: ParsedRecordQuery,
): Promise<number> {
  const condition = where === undefined ? "" : ` where ${where}`;
  const text = `select count(*) as count from ${table.view}${condition}`;
  const [row] = await queryRows(tx, text, parameters.values);
  return Number(row?.["count"]);
}

/** The statement that reads one part of a list. */
export function statementOf(
  { asked, keys }: RecordListing,
  part: Part | undefined,
  count: number,
): { text: string; values: readonly unknown[] } {
  const { table, select, where, parameters } = asked;
  const own = new SqlParameters(parameters.values);
  const conditions = [where, part && `(${part(own)})`].filter((one) => one !== undefined);
  const further = hiddenIn({ asked, keys })
    .map(({ sql, field }) => `, ${sql} as "${HIDDEN}${field}"`)
    .join("");
  const narrowed = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  // The number is in the text: one that the planner does not know makes it prefer other plans.
  const text =
    `select ${select}${further} from ${table.view}${narrowed} ` +
    `order by ${orderBySql(keys)} limit ${count}`;
  return { text, values: own.values };
}

/** Before the name of a field that the list is sorted by and does not show. */
const HIDDEN = "~";

function hiddenIn({ asked: { fields }, keys }: RecordListing): readonly SortKey[] {
  return keys.filter(({ field }) => !fields.includes(field));
}

/** A row without what is only there to sort by. */
function shownIn({ fields }: ParsedRecordQuery, row: SqlRow): SqlRow {
  return Object.fromEntries(fields.map((field) => [field, row[field]]));
}
