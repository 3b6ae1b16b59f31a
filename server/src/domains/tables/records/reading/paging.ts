import type { ReadContext } from "#kernel/operation/operation.ts";
import { fitting } from "#kernel/page-size.ts";
import type { KnownColumn, KnownTable } from "../../table-schema.ts";
import { expanded } from "#domains/records/read/expand-references.ts";
import { type Listing, listFrom, type Place } from "#domains/records/read/list-sql.ts";
import type { Shown } from "#domains/records/record.ts";

/** Some of a list of records, and the place of the last of them when there are more. */
export interface RecordPage {
  readonly data: readonly Shown[];
  readonly last: Place | undefined;
}

/** How many records are read first where they may be large; then twice as many, and so on. */
const STEP_RECORDS = 16;

/**
 * Up to so many records behind a place, with what they refer to: as many as fit into a page. They are
 * read at once, unless those of the table may be so large that what does not fit is worth sparing.
 */
export async function pageFrom(
  ctx: ReadContext,
  { listing, references }: { listing: Listing; references: readonly KnownColumn[] },
  after: Place | undefined,
  limit: number,
): Promise<RecordPage> {
  const { table } = listing.asked;
  const places: Place[] = [];
  const shown: Shown[] = [];
  for (let step = large.get(table) === false ? limit + 1 : STEP_RECORDS; ; step *= 2) {
    // One more than is shown tells that there are more.
    const count = Math.min(step, limit + 1 - places.length);
    const found = await listFrom(ctx.tx, listing, places.at(-1) ?? after, count);
    places.push(...found.map(({ place }) => place));
    const records = found.slice(0, limit - shown.length).map(({ record }) => record);
    shown.push(...(await expanded(ctx, references, records)));
    const data = fitting(shown);
    const isFull = data.length < shown.length;
    if (isFull || found.length < count || places.length > limit) {
      remember(table, isFull);
      return { data, last: places.length > data.length ? places[data.length - 1] : undefined };
    }
  }
}

/** Whether a page of a table was ever too large for its records; unknown before the first. */
const large = new WeakMap<KnownTable, boolean>();

function remember(table: KnownTable, isFull: boolean): void {
  if (isFull || !large.has(table)) large.set(table, isFull);
}
