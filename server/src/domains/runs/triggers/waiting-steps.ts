import { sql } from "kysely";
import type { Condition } from "#kernel/condition/condition.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { compileSubscriptionStart } from "#kernel/log/subscription-start.ts";
import { queueCommand } from "../engine/store.ts";
import { endWait } from "../engine/waits.ts";
import { compileEventMatch, visibleEvent } from "./event-matcher.ts";

/** A step that waits for an event. */
export interface WaitingStep {
  readonly runId: string;
  readonly path: string;
  readonly topic: string;
  /** Whose permissions its run has. */
  readonly runAs: string;
  /** Which of them; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly wants: (event: RecordedEvent) => boolean;
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

/** The steps that wait for something on one of these topics. */
export async function stepsWaitingOn(tx: Tx, topics: readonly string[]): Promise<WaitingStep[]> {
  // Not a join: as long as nothing is known of a young table, that may begin at all runs there are.
  const { rows } = await sql<WaitRow>`
    select w.run_id, w.path, w.topic, (select run_as from runs where id = w.run_id) as run_as,
           (select permissions from runs where id = w.run_id) as permissions,
           w.event_type, w.filter, w.since_epoch, w.since::text as since
      from run_waits w
     where w.topic = any(${topics}::text[]) order by w.run_id, w.path`.execute(tx);
  return rows.map((row) => {
    const hearsFrom = compileSubscriptionStart({ epoch: row.since_epoch, snapshot: row.since });
    const means = compileEventMatch({ eventType: row.event_type, filter: row.filter });
    return {
      runId: row.run_id,
      path: row.path,
      topic: row.topic,
      runAs: row.run_as,
      permissions: row.permissions ?? undefined,
      wants: (event) => hearsFrom(event) && means(event),
    };
  });
}

/** Tells a step what it waited for. All of it leaves at once: who tells many waits once. */
export async function wakeWaitingStep(
  ctx: WriteContext<never>,
  { runId, path }: WaitingStep,
  event: RecordedEvent,
): Promise<void> {
  const answer = { kind: "event", event: visibleEvent(event) } as const;
  const told = queueCommand(ctx, runId, [{ path, told: true, answer }]);
  await Promise.all([told, endWait(ctx, runId, [path])]);
}
