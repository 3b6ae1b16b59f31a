import type { Tx } from "#kernel/db/connection.ts";
import { Parameters, type Row, rowsOf } from "#kernel/db/statement.ts";
import { type Key, orderSql, type Part, partsAfter } from "#kernel/list/order.ts";
import type { Asked } from "./record-query.ts";
import { type Shown, toRecord } from "../record.ts";

/** A list of records: a question and its order. */
export interface Listing {
  readonly asked: Asked;
  readonly keys: readonly Key[];
}

/** Where a list goes on: the values by which the last record before it is sorted. */
export type Place = readonly unknown[];

/** A record of a list, and its place there. */
export interface Listed {
  readonly record: Shown;
  readonly place: Place;
}

/** Up to so many records behind a place, or from the beginning. */
export async function listFrom(
  tx: Tx,
  { asked, keys }: Listing,
  after: Place | undefined,
  count: number,
): Promise<Listed[]> {
  const parts: readonly (Part | undefined)[] = after ? partsAfter(keys, after) : [undefined];
  const rows: Row[] = [];
  for (const part of parts) {
    if (rows.length >= count) break;
    const { text, values } = statementOf({ asked, keys }, part, count);
    rows.push(...(await rowsOf(tx, text, values)));
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
export async function countOf(tx: Tx, { table, where, parameters }: Asked): Promise<number> {
  const condition = where === undefined ? "" : ` where ${where}`;
  const text = `select count(*) as count from ${table.view}${condition}`;
  const [row] = await rowsOf(tx, text, parameters.values);
  return Number(row?.["count"]);
}

/** The statement that reads one part of a list. */
export function statementOf(
  { asked, keys }: Listing,
  part: Part | undefined,
  count: number,
): { text: string; values: readonly unknown[] } {
  const { table, select, where, parameters } = asked;
  const own = new Parameters(parameters.values);
  const conditions = [where, part && `(${part(own)})`].filter((one) => one !== undefined);
  const further = hiddenIn({ asked, keys })
    .map(({ sql, field }) => `, ${sql} as "${HIDDEN}${field}"`)
    .join("");
  const narrowed = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  // The number is in the text: one that the planner does not know makes it prefer other plans.
  const text =
    `select ${select}${further} from ${table.view}${narrowed} ` +
    `order by ${orderSql(keys)} limit ${count}`;
  return { text, values: own.values };
}

/** Before the name of a field that the list is sorted by and does not show. */
const HIDDEN = "~";

function hiddenIn({ asked: { fields }, keys }: Listing): readonly Key[] {
  return keys.filter(({ field }) => !fields.includes(field));
}

/** A row without what is only there to sort by. */
function shownIn({ fields }: Asked, row: Row): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field]]));
}
