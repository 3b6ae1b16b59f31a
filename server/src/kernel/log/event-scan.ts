/**
 * Scans the log of a partition backwards in windows. No index supports every selection. With an index, a window
 * contains matches only; without one, the search for a rare event reports its progress, and writes stay cheap.
 */
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import type { LogPosition, RecordedEvent } from "./event.ts";
import { type EventRow, positionOfRow, positionParameter, readEventsAt } from "./event-log.ts";

/**
 * Selects events. Conditions that SQL cannot decide, such as text hidden by a rule, are checked again on the
 * result.
 */
export interface EventSelection {
  readonly topic?: string | undefined;
  readonly hiddenTopics: readonly string[];
  /** A regular expression for the type. */
  readonly type?: string | undefined;
  readonly actorId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A text in the data, or in the name of the resource or actor. */
  readonly text?: string | undefined;
}

export interface ScanWindow {
  /** Only events before this position. */
  readonly before: LogPosition | undefined;
  /** The scan ends at this position. */
  readonly oldest: LogPosition | undefined;
  readonly scanMax: number;
  readonly limit: number;
}

export interface ScanResult {
  /** Newest first. */
  readonly events: readonly RecordedEvent[];
  /** The last scanned event. Undefined at the end of the log. */
  readonly end: { readonly position: LogPosition; readonly at: string } | undefined;
  readonly scanned: number;
}

type ScanRow = Pick<EventRow, "epoch" | "xid" | "seq" | "created_at"> & {
  readonly fits: boolean;
  readonly scanned: number;
};

/** Reads the matching events of one window, and the position it reached. */
export async function scanEvents(
  tx: Tx,
  selection: EventSelection,
  { before, oldest, scanMax, limit }: ScanWindow,
): Promise<ScanResult> {
  const { topic, resourceId, hiddenTopics } = selection;
  const window = [
    sql`e.topic <> all (${hiddenTopics}::text[])`,
    topic !== undefined && sql`e.topic = ${topic}`,
    resourceId !== undefined && sql`e.resource_id = ${resourceId}`,
    before && sql`(e.epoch, e.xid, e.seq) < ${positionParameter(before)}`,
    oldest && sql`(e.epoch, e.xid, e.seq) >= ${positionParameter(oldest)}`,
  ].filter(isCondition);
  const { rows } = await sql<ScanRow>`
    with looked as materialized (
      select e.epoch, e.xid, e.seq, e.created_at, (${joinConditions(fitConditions(selection))}) as fits
        from events e where ${joinConditions(window)}
       order by e.epoch desc, e.xid desc, e.seq desc limit ${scanMax}),
    fitting as (select * from looked where fits order by epoch desc, xid desc, seq desc limit ${limit}),
    last as (select * from looked order by epoch, xid, seq limit 1)
    select epoch, xid, seq, created_at, true as fits, 0 as scanned from fitting
    union all
    select epoch, xid, seq, created_at, false, (select count(*)::int from looked) from last`.execute(
    tx,
  );
  const last = rows.find(({ fits }) => !fits);
  const found = rows.filter(({ fits }) => fits).map(positionOfRow);
  const events = found.length === 0 ? [] : await readEventsAt(tx, found);
  const isEnd = !last || last.scanned < scanMax;
  return {
    events: events.toSorted((left, right) => (left.id < right.id ? 1 : -1)),
    end: isEnd ? undefined : { position: positionOfRow(last), at: last.created_at },
    scanned: last?.scanned ?? 0,
  };
}

/** True if the selection excludes some events. */
export function isSelective(selection: EventSelection): boolean {
  return fitConditions(selection).length > 0;
}

function fitConditions(selection: EventSelection): RawBuilder<unknown>[] {
  const { type, actorId, resourceType, correlationId, from, to, text } = selection;
  return [
    type !== undefined && sql`e.type ~ ${type}`,
    actorId !== undefined && sql`e.actor_id = ${actorId}`,
    resourceType !== undefined && sql`e.resource_type = ${resourceType}`,
    correlationId !== undefined && sql`e.correlation_id = ${correlationId}`,
    from !== undefined && sql`e.created_at >= ${from}`,
    to !== undefined && sql`e.created_at < ${to}`,
    text !== undefined && textCondition(text),
  ].filter(isCondition);
}

/** The data is searched as JSON text, in which quotes are escaped. */
function textCondition(text: string): RawBuilder<unknown> {
  const escaped = JSON.stringify(text).slice(1, -1);
  const [plain, inJson] = [text, escaped].map((one) => `%${one.replaceAll(/[\\%_]/g, "\\$&")}%`);
  return sql`(concat_ws(' ', e.type, e.resource_id, e.resource_number, e.resource_name, e.actor_name) ilike ${plain}
    or e.data::text ilike ${inJson})`;
}

/** The maximum clock disorder of events: node clocks differ, and an event has the start time of its transaction. */
const DISORDER_MS = 120_000;

/**
 * A position such that all events of this time or later follow it. Undefined if all events of the partition are
 * later.
 */
export async function findPositionBefore(tx: Tx, time: string): Promise<LogPosition | undefined> {
  return findPosition(tx, new Date(Date.parse(time) - DISORDER_MS));
}

/** A position such that all events before this time precede it. The start of the log if all events are later. */
export async function findPositionAfter(tx: Tx, time: string): Promise<LogPosition> {
  const found = await findPosition(tx, new Date(Date.parse(time) + DISORDER_MS));
  return found ?? { epoch: 0, xid: 0, seq: 0 };
}

/** The log is almost ordered by time, so the index is searched by bisection. */
async function findPosition(tx: Tx, time: Date): Promise<LogPosition | undefined> {
  const { rows } = await sql<Pick<EventRow, "epoch" | "xid" | "seq">>`
    select epoch, xid, 0::bigint as seq from log_position_at(${time.toISOString()}::timestamptz)`.execute(
    tx,
  );
  const [row] = rows;
  return row && positionOfRow(row);
}

function isCondition(value: unknown): value is RawBuilder<unknown> {
  return typeof value === "object";
}

function joinConditions(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
