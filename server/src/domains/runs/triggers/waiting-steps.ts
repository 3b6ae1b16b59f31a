import { type RawBuilder, sql } from "kysely";
import type { Condition } from "#kernel/condition/condition.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { compileSubscriptionStart } from "#kernel/log/subscription-start.ts";
import { stepMessage } from "../engine/journal-record.ts";
import { appendMessages } from "../engine/store.ts";
import { deleteEventWaits } from "../engine/waits.ts";
import { compileEventMatch, visibleEvent } from "./event-matcher.ts";

export interface WaitingStep {
  readonly runId: string;
  readonly path: string;
  readonly topic: string;
  /** The user whose permissions apply. */
  readonly runAs: string;
  /** A subset of the user's permissions; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly filter: Condition | null;
  readonly matches: (event: RecordedEvent) => boolean;
  /** Like `matches`, for events before the wait. */
  readonly matchesPast: (event: RecordedEvent) => boolean;
}

interface WaitRow {
  readonly run_id: string;
  readonly path: string;
  readonly topic: string;
  readonly run_as: string;
  readonly permissions: readonly string[] | null;
  readonly event_type: string | null;
  readonly filter: Condition | null;
  readonly since_epoch: number;
  readonly since: string;
}

/** Finds steps waiting for events on these topics. */
export function findWaitingSteps(tx: Tx, topics: readonly string[]): Promise<WaitingStep[]> {
  return selectWaitingSteps(tx, sql`w.topic = any(${topics}::text[])`);
}

/** Finds a step that waits for an event. Undefined if it no longer waits. */
export async function findWaitingStep(
  tx: Tx,
  runId: string,
  path: string,
): Promise<WaitingStep | undefined> {
  return (await selectWaitingSteps(tx, sql`w.run_id = ${runId} and w.path = ${path}`))[0];
}

async function selectWaitingSteps(tx: Tx, condition: RawBuilder<unknown>): Promise<WaitingStep[]> {
  // Separate queries instead of a join: without statistics of a new table, the join can scan all runs.
  const { rows } = await sql<WaitRow>`
    select w.run_id, w.path, w.topic, (select run_as from runs where id = w.run_id) as run_as,
           (select permissions from runs where id = w.run_id) as permissions,
           w.event_type, w.filter, w.since_epoch, w.since::text as since
      from run_waits w
     where ${condition} order by w.run_id, w.path`.execute(tx);
  return rows.map((row) => {
    const isSubscribed = compileSubscriptionStart({ epoch: row.since_epoch, snapshot: row.since });
    const matchesPast = compileEventMatch({ eventType: row.event_type, filter: row.filter });
    return {
      runId: row.run_id,
      path: row.path,
      topic: row.topic,
      runAs: row.run_as,
      permissions: row.permissions ?? undefined,
      filter: row.filter,
      matches: (event) => isSubscribed(event) && matchesPast(event),
      matchesPast,
    };
  });
}

/**
 * Resumes a step with the event. The statements are sent without waiting, so that waking many steps needs one round
 * trip.
 */
export async function wakeWaitingStep(
  ctx: WriteContext<never>,
  { runId, path }: WaitingStep,
  event: RecordedEvent,
): Promise<void> {
  const answer = { kind: "event", event: visibleEvent(event) } as const;
  const appended = appendMessages(ctx, runId, [stepMessage(path, { answer })]);
  await Promise.all([appended, deleteEventWaits(ctx, runId, [path])]);
}
