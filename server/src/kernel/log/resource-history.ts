import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import type { Database, Partition } from "../db/database.ts";
import { eventIdOf, type LogPosition, type RecordedEvent, topicOf } from "./event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  positionOfRow,
  toEvent,
  positionParameter,
} from "./event-log.ts";

/** A resource, and the log position after which to read its events. */
export interface ResourcePosition {
  readonly id: string;
  /** If absent, from the start of the log. */
  readonly after?: LogPosition | undefined;
}

/**
 * The events of some resources in the transaction's partition by resource id: for each, the oldest `limit`
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

/** Reads the first event of a resource and the newest ones, ascending. */
export async function readResourceEvents(
  tx: Tx,
  id: string,
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select distinct on (e.epoch, e.xid, e.seq) ${sql.raw(EVENT_COLUMNS)}
      from ((select e.* from events e where e.resource_id = ${id}
              order by e.epoch, e.xid, e.seq limit 1)
            union all
            (select e.* from events e where e.resource_id = ${id}
              order by e.epoch desc, e.xid desc, e.seq desc limit ${limit})) e
     order by e.epoch, e.xid, e.seq`.execute(tx);
  return rows.map(toEvent);
}

const FIRST_EVENTS = `
  select r.id, e.epoch, e.xid, e.seq
    from unnest($1::text[], $2::uuid[], $3::text[]) as r (id, workspace_id, environment)
    cross join lateral
      (select e.epoch, e.xid, e.seq from events e
        where e.workspace_id = r.workspace_id and e.environment = r.environment::environment
          and e.resource_id = r.id
        order by e.epoch, e.xid, e.seq limit 1) e`;

/** The ids of the first events of resources in any partition, by resource id. */
export async function findFirstEvents(
  db: Database,
  resources: readonly (Partition & { readonly id: string })[],
): Promise<ReadonlyMap<string, string>> {
  if (resources.length === 0) return new Map();
  const rows = await db.system<Pick<EventRow, "epoch" | "xid" | "seq"> & { readonly id: string }>(
    FIRST_EVENTS,
    [
      resources.map(({ id }) => id),
      resources.map(({ workspace }) => workspace),
      resources.map(({ environment }) => environment),
    ],
  );
  return new Map(rows.map((row) => [row.id, eventIdOf(positionOfRow(row))]));
}

const LOG_START: LogPosition = { epoch: -1, xid: 0, seq: 0 };

const EVENTS_SEARCHED_MAX = 50_000;
const FOUND_MAX = 100;

/** The ids of resources whose name contains a text, among the newest events of this partition. */
export async function findResourceIdsByName(tx: Tx, text: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct e.resource_id as id
      from (select resource_id, resource_name, resource_number from events
             order by epoch desc, xid desc, seq desc limit ${EVENTS_SEARCHED_MAX}) e
     where position(lower(${text}) in lower(e.resource_name)) > 0
        or upper(${text}) = e.resource_number
     limit ${FOUND_MAX}`.execute(tx);
  return rows.map(({ id }) => id);
}

const LISTED_EVENTS_MAX = 5_000;

interface NamedResource {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** The resources in events of a type, each with the data of its newest event. */
export async function listLoggedResources(tx: Tx, type: string): Promise<readonly NamedResource[]> {
  const { rows } = await sql<NamedResource>`
    select distinct on (e.id) e.id, e.data, e.at
      from (select resource_id as id, data, created_at as at from events
             where topic = ${topicOf(type)} and type = ${type}
             order by epoch desc, xid desc, seq desc limit ${LISTED_EVENTS_MAX}) e
     order by e.id, e.at desc`.execute(tx);
  return rows;
}
