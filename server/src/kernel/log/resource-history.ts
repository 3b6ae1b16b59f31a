import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import type { LogPosition, RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, toEvent, positionParameter } from "./event-log.ts";

/** One thing, and the place in the log behind which to read what happened to it. */
export interface ResourcePosition {
  readonly id: string;
  /** From its beginning when absent. */
  readonly after?: LogPosition | undefined;
}

/**
 * What happened to some things of the transaction's own partition, by their ids: for each the oldest
 * `limit` events behind its place, up to `upTo` and with it.
 */
export async function readResourceHistory(
  tx: Tx,
  things: readonly ResourcePosition[],
  { upTo, limit }: { readonly upTo?: LogPosition | undefined; readonly limit: number },
): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
  if (things.length === 0) return new Map();
  const places = things.map(({ after = BEGINNING }) => after);
  const end = upTo ? sql`and (e.epoch, e.xid, e.seq) <= ${positionParameter(upTo)}` : sql``;
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)}
      from unnest(${things.map(({ id }) => id)}::text[], ${places.map(({ epoch }) => epoch)}::smallint[],
                  ${places.map(({ xid }) => String(xid))}::xid8[], ${places.map(({ seq }) => seq)}::bigint[])
             as thing (id, epoch, xid, seq)
      cross join lateral
        (select e.* from events e
          where e.resource_id = thing.id
            and (e.epoch, e.xid, e.seq) > (thing.epoch, thing.xid, thing.seq) ${end}
          order by e.epoch, e.xid, e.seq limit ${limit}) e
     order by e.epoch, e.xid, e.seq`.execute(tx);
  return Map.groupBy(rows.map(toEvent), ({ resource }) => resource.id);
}

const BEGINNING: LogPosition = { epoch: -1, xid: 0, seq: 0 };
