import { type RawBuilder, sql } from "kysely";
import { jsonbArray, textArray } from "../db/binary-array.ts";
import type { Tx } from "../db/connection.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  type Actor,
  type Causation,
  type EventMaker,
  eventIdOf,
  type LogPosition,
  type RecordedEvent,
  type ResourceRef,
} from "./event.ts";

/** An event to append. The kernel adds position, partition, actor and time. */
export interface PendingEvent {
  readonly type: string;
  readonly topic: string;
  readonly resourceType: string;
  readonly resource: ResourceRef;
  readonly data: unknown;
  /** Set if its maker differs from the maker of the transaction. */
  readonly madeBy?: EventMaker | undefined;
}

/** The fields shared by all events of a transaction: actor, time and cause. */
export interface EventOrigin {
  readonly actor: Actor;
  readonly at: Date;
  readonly cause: Causation;
  readonly requestId?: string | undefined;
}

/** Sent last in a transaction, so the event is positioned after everything that was committed when the insert began. */
const INSERT = `
  insert into events
    (actor_id, actor_type, actor_name, request_id, correlation_id, causation_id, depth, created_at,
     made_by, step_id, topic, type, resource_type, resource_id, resource_number, resource_name, data)`;

/** Most transactions append one event, for which this is faster than the statement for many. */
const APPEND_ONE = `${INSERT}
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;

const APPEND_RETURNING = `${APPEND_ONE} returning epoch, xid, seq`;

/** Inserts any number of events in one statement, so it is prepared once and sent as one message. */
const APPEND_MANY = `${INSERT}
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, e.topic, e.type, e.resource_type, e.resource_id,
         e.resource_number, e.resource_name, e.data
    from unnest($11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
                $17::jsonb[])
      as e (topic, type, resource_type, resource_id, resource_number, resource_name, data)`;

/** Appends to the log in the transaction, in the epoch of its connection. */
export function appendEvents(
  session: Transaction,
  origin: EventOrigin,
  events: readonly PendingEvent[],
): void {
  for (let start = 0; start < events.length;) {
    const chunk = sliceStatement(events, start);
    const common = sharedValues(origin, chunk[0]?.madeBy);
    const [first] = chunk;
    if (first && chunk.length === 1) session.post(APPEND_ONE, [...common, ...eventValues(first)]);
    else session.post(APPEND_MANY, [...common, ...columnArrays(chunk)]);
    start += chunk.length;
  }
}

/** The next events that one statement can append, which all have one maker. */
function sliceStatement(events: readonly PendingEvent[], start: number): readonly PendingEvent[] {
  const maker = events[start]?.madeBy;
  let end = start + 1;
  while (end < events.length && end < start + STATEMENT_EVENTS_MAX && events[end]?.madeBy === maker)
    end += 1;
  return events.slice(start, end);
}

/** An import can have a hundred thousand events, which must not be one statement. */
const STATEMENT_EVENTS_MAX = 1_000;

/** The values of the events as one array per column. */
function columnArrays(events: readonly PendingEvent[]): Buffer[] {
  return [
    textArray(events.map(({ topic }) => topic)),
    textArray(events.map(({ type }) => type)),
    textArray(events.map(({ resourceType }) => resourceType)),
    textArray(events.map(({ resource }) => resource.id)),
    textArray(events.map(({ resource }) => resource.number ?? null)),
    textArray(events.map(({ resource }) => resource.displayName ?? null)),
    jsonbArray(events.map(({ data }) => JSON.stringify(data))),
  ];
}

/** Appends one event immediately, for a transaction that needs its id. */
export async function appendAndReturn(
  session: Transaction,
  origin: EventOrigin,
  event: PendingEvent,
): Promise<string> {
  const values = [...sharedValues(origin), ...eventValues(event)];
  const [row] = await session.send<Pick<EventRow, "epoch" | "xid" | "seq">>(
    APPEND_RETURNING,
    values,
  );
  if (!row) throw new Error("An insert returned nothing.");
  return eventIdOf(positionOfRow(row));
}

function sharedValues(
  { actor, requestId, cause, at }: EventOrigin,
  madeBy: EventMaker | undefined = cause.madeBy,
): unknown[] {
  const { correlationId, causationId = null, depth } = cause;
  return [
    actor.id,
    actor.type,
    actor.name,
    requestId ?? null,
    correlationId,
    causationId,
    depth,
    at,
    madeBy?.id ?? null,
    madeBy?.stepId ?? null,
  ];
}

function eventValues({ topic, type, resourceType, resource, data }: PendingEvent): unknown[] {
  const { id, number = null, displayName = null } = resource;
  return [topic, type, resourceType, id, number, displayName, JSON.stringify(data)];
}

/** The current epoch. */
export const PRESENT_EPOCH_SQL = "(select epoch from installation)";

export const EVENT_COLUMNS = `
  e.epoch, e.xid, e.seq, coalesce(e.tx, e.xid) as tx, e.workspace_id, e.environment, e.topic, e.type, e.actor_id, e.actor_type,
  e.actor_name, e.resource_type, e.resource_id, e.resource_number, e.resource_name, e.request_id,
  e.correlation_id, e.causation_id, e.depth, e.made_by, e.step_id, e.created_at, e.data`;

/** The columns without the event data, which can be a megabyte, for queries over many events. */
export const LIGHT_EVENT_COLUMNS = EVENT_COLUMNS.replace("e.data", "'{}'::jsonb as data");

/**
 * True for settled events: no event can be inserted before them, because all older transactions have ended or
 * belong to an earlier cluster. Every reader with a cursor stops at the first event for which it is false.
 */
export const SETTLED_SQL = `
  (e.epoch, e.xid) < (${PRESENT_EPOCH_SQL}, pg_snapshot_xmin(pg_current_snapshot()))`;

export interface EventRow {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
  readonly tx: string;
  readonly workspace_id: string;
  readonly environment: RecordedEvent["environment"];
  readonly topic: string;
  readonly type: string;
  readonly actor_id: string;
  readonly actor_type: Actor["type"];
  readonly actor_name: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly resource_number: string | null;
  readonly resource_name: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly depth: number;
  readonly made_by: string | null;
  readonly step_id: string | null;
  readonly created_at: string;
  readonly data: RecordedEvent["data"];
}

export function toEvent(row: EventRow): RecordedEvent {
  const position = positionOfRow(row);
  return {
    position,
    transaction: Number(row.tx),
    id: eventIdOf(position),
    workspace: row.workspace_id,
    environment: row.environment,
    topic: row.topic,
    type: row.type,
    actor: { id: row.actor_id, name: row.actor_name, type: row.actor_type },
    resource: {
      type: row.resource_type,
      id: row.resource_id,
      number: row.resource_number,
      displayName: row.resource_name,
    },
    requestId: row.request_id,
    correlationId: row.correlation_id,
    causationId: row.causation_id,
    depth: row.depth,
    ...(row.made_by !== null && { madeBy: toMaker(row.made_by, row.step_id) }),
    createdAt: row.created_at,
    data: row.data,
  };
}

function toMaker(id: string, stepId: string | null): EventMaker {
  return stepId === null ? { id } : { id, stepId };
}

export function positionOfRow(row: Pick<EventRow, "epoch" | "xid" | "seq">): LogPosition {
  return { epoch: row.epoch, xid: Number(row.xid), seq: row.seq };
}

/** The causation of a transaction that reacts to this event. */
export function causationOf(
  recorded: Pick<RecordedEvent, "id" | "correlationId" | "depth">,
): Causation {
  return {
    correlationId: recorded.correlationId,
    causationId: recorded.id,
    depth: recorded.depth + 1,
  };
}

/**
 * A position hidden from the planner. Its statistics cover one epoch, so it would assume that almost no rows
 * follow, and read the whole log for the few events of one partition.
 */
export function positionParameter({ epoch, xid, seq }: LogPosition): RawBuilder<unknown> {
  return sql`((select ${epoch}::smallint), (select ${String(xid)}::xid8), (select ${seq}::bigint))`;
}

export interface LogFilter {
  /** A regular expression for the type. */
  readonly type?: string | undefined;
  readonly actorId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Matches any of these resources. */
  readonly resourceIds?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly before?: LogPosition | undefined;
}

/** Queries the events of a partition, newest first. */
export async function queryEvents(
  tx: Tx,
  filter: LogFilter,
  limit: number,
): Promise<RecordedEvent[]> {
  const { before } = filter;
  const conditions = [
    before && sql`(e.epoch, e.xid, e.seq) < ${positionParameter(before)}`,
    filter.type !== undefined && sql`e.type ~ ${filter.type}`,
    filter.actorId !== undefined && sql`e.actor_id = ${filter.actorId}`,
    filter.resourceType !== undefined && sql`e.resource_type = ${filter.resourceType}`,
    filter.resourceId !== undefined && sql`e.resource_id = ${filter.resourceId}`,
    filter.resourceIds && sql`e.resource_id = any (${filter.resourceIds}::text[])`,
    filter.from !== undefined && sql`e.created_at >= ${filter.from}`,
    filter.to !== undefined && sql`e.created_at < ${filter.to}`,
  ].filter((condition) => typeof condition === "object");
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
     order by e.epoch desc, e.xid desc, e.seq desc limit ${limit}`.execute(tx);
  return rows.map(toEvent);
}

/** The events at some positions, unordered. */
export async function readEventsAt(
  tx: Tx,
  positions: readonly LogPosition[],
): Promise<RecordedEvent[]> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)}
      from unnest(${positions.map(({ epoch }) => epoch)}::smallint[],
                  ${positions.map(({ xid }) => String(xid))}::xid8[],
                  ${positions.map(({ seq }) => seq)}::bigint[]) as p (epoch, xid, seq)
     cross join lateral
           (select * from events e
             where (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq) limit 1) e`.execute(tx);
  return rows.map(toEvent);
}

export async function findEvent(tx: Tx, position: LogPosition): Promise<RecordedEvent | undefined> {
  const { rows } = await sql<EventRow>`
    select ${sql.raw(EVENT_COLUMNS)} from events e
     where (e.epoch, e.xid, e.seq) = (${position.epoch}, ${String(position.xid)}::xid8, ${position.seq})`.execute(
    tx,
  );
  return rows.map(toEvent)[0];
}

const READ_MANY = `
  select ${EVENT_COLUMNS}
    from unnest($1::smallint[], $2::xid8[], $3::bigint[], $4::uuid[]) as place (epoch, xid, seq, workspace_id)
    join events e on (e.epoch, e.xid, e.seq) = (place.epoch, place.xid, place.seq)
     and e.workspace_id = place.workspace_id`;

/** A log position in one workspace. Positions are not unique: an imported workspace can use the same ones. */
export interface WorkspacePosition {
  readonly workspace: string;
  readonly position: LogPosition;
}

/** The unique key of an event across workspaces. */
export function positionKey({ workspace, position }: WorkspacePosition): string {
  return `${workspace} ${eventIdOf(position)}`;
}

/** The events at these positions by key. Deleted ones are missing. */
export async function readEvents(
  db: Database,
  positions: readonly WorkspacePosition[],
): Promise<ReadonlyMap<string, RecordedEvent>> {
  if (positions.length === 0) return new Map();
  const rows = await db.system<EventRow>(READ_MANY, [
    positions.map(({ position: { epoch } }) => epoch),
    positions.map(({ position: { xid } }) => String(xid)),
    positions.map(({ position: { seq } }) => seq),
    positions.map(({ workspace }) => workspace),
  ]);
  return new Map(rows.map(toEvent).map((recorded) => [positionKey(recorded), recorded]));
}

/** Counts the events of a partition, up to `countMax`. */
export async function countEvents(tx: Tx, countMax: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from events limit ${countMax}) e`.execute(tx);
  return rows[0]?.n ?? 0;
}
