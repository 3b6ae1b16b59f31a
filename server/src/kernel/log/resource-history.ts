import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import type { LogPosition, RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, toEvent, positionParameter } from "./event-log.ts";

/** A resource, and the log position after which to read its events. */
export interface ResourcePosition {
  readonly id: string;
  /** From its beginning when absent. */
  readonly after?: LogPosition | undefined;
}

/**
 * The events of some resources of the transaction's own partition, by their ids: for each the oldest `limit`
 * events after its position, up to and including `upTo`.
 */
export async function readResourceHistory(
  tx: Tx,
  resources: readonly ResourcePosition[],
  { upTo, limit }: { readonly upTo?: LogPosition | undefined; readonly limit: number },
): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
  if (resources.length === 0) return new Map();
  const positions = resources.map(({ after = LOG_START }) => after);
  const end = upTo ? sql`and (e.epoch, e.xid, e.seq) <= ${positionParameter(upTo)}` : sql``;
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)}
      from unnest(${resources.map(({ id }) => id)}::text[], ${positions.map(({ epoch }) => epoch)}::smallint[],
                  ${positions.map(({ xid }) => String(xid))}::xid8[], ${positions.map(({ seq }) => seq)}::bigint[])
             as r (id, epoch, xid, seq)
      cross join lateral
        (select e.* from events e
          where e.resource_id = r.id
            and (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq) ${end}
          order by e.epoch, e.xid, e.seq limit ${limit}) e
     order by e.epoch, e.xid, e.seq`.execute(tx);
  return Map.groupBy(rows.map(toEvent), ({ resource }) => resource.id);
}

const LOG_START: LogPosition = { epoch: -1, xid: 0, seq: 0 };
