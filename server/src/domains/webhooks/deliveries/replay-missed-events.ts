import { sql } from "kysely";
import Type from "typebox";
import type { Platform, JobType, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import { type EventRow, positionOfRow } from "#kernel/log/event-log.ts";
import {
  readReaderCursor,
  lockReaderCursor,
  readLogRange,
  readWorkspaceLog,
} from "#kernel/log/workspace-log.ts";
import { FAN_OUT_READER, DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import * as webhooks from "../store.ts";
import {
  replayEventsTo,
  filterVisible,
  type ReplayTarget,
  lockReplayTarget,
  runInEnvironment,
} from "./replay-target.ts";

const Payload = Type.Object({ webhookId: Type.String() });
const RETRY_DELAY_MAX_MS = 60_000;
const BATCH_EVENTS_MAX = 500;
/** The maximum number of events per environment that are replayed while the reader waits. */
const REST_EVENTS_MAX = 2_000;
const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

/**
 * Replays the events that a paused webhook missed. While the webhook has its own position, the fan-out reader skips
 * it, and this job fans out batches from that position to the reader's cursor. Near the end, the last step locks
 * the reader, replays exactly up to its cursor and clears the position: the reader handles later events. So each
 * event is fanned out in log order. Batches may be repeated, because delivery ids derive from event and webhook.
 */
export const replayMissedJob: JobType<typeof Payload> = job({
  kind: "webhooks.catch_up",
  payload: Payload,
  // Never a dead letter: while the webhook has a position, the reader adds no events.
  attemptsMax: Number.MAX_SAFE_INTEGER,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** Math.min(attempt, 6), RETRY_DELAY_MAX_MS),
  effect: (platform, { webhookId }) => readBatch(platform, webhookId),
  run: async (ctx, { webhookId }, batch) => {
    if (batch && !(await replayBatch(ctx, webhookId, batch))) {
      ctx.enqueue(replayMissedJob, { webhookId }, { key: webhookId });
    }
  },
});

interface Batch {
  readonly after: LogPosition;
  readonly events: readonly RecordedEvent[];
  /** The events up to here contain everything that the webhook could match. */
  readonly upTo: LogPosition;
  readonly complete: boolean;
}

const READ_POSITION = `
  select workspace_id, place_epoch as epoch, place_xid as xid, place_seq as seq
    from webhooks where id = $1 and status = 'active' and place_xid is not null`;

/** Undefined when there is nothing to replay, or not now. */
async function readBatch({ db }: Platform, webhookId: string): Promise<Batch | undefined> {
  type Row = Pick<EventRow, "workspace_id" | "epoch" | "xid" | "seq">;
  const [row] = await db.system<Row>(READ_POSITION, [webhookId]);
  if (!row) return undefined;
  const after = positionOfRow(row);
  const partition = { workspace: row.workspace_id, environment: "production" } as const;
  const cursor = await db.read(partition, (tx) => readReaderCursor(tx, FAN_OUT_READER));
  if (!cursor) throw new Error(`The reader ${FAN_OUT_READER} is not registered.`);
  const range = { after, upTo: cursor };
  const events = await readWorkspaceLog(db, row.workspace_id, range, BATCH_EVENTS_MAX);
  const complete = events.length < BATCH_EVENTS_MAX;
  const upTo = (complete ? undefined : events.at(-1)?.position) ?? laterPosition(after, cursor);
  return { after, events, upTo, complete };
}

/** True when there is nothing left to replay. */
async function replayBatch(
  ctx: WriteContext<never>,
  webhookId: string,
  batch: Batch,
): Promise<boolean> {
  const webhook = await lockReplayTarget(ctx.tx, webhookId);
  if (webhook?.status !== "active" || !webhook.position) return true;
  // It was paused and resumed from another position during the read.
  if (eventIdOf(webhook.position) !== eventIdOf(batch.after)) return false;
  await replayMatching(ctx, webhook, batch.events);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  if (batch.complete && (await replayRest(ctx, webhook, batch.upTo))) return true;
  await updatePosition(ctx.tx, webhookId, batch.upTo);
  return false;
}

/** Replays the rest while the reader is locked; false if there are too many events. */
async function replayRest(
  ctx: WriteContext<never>,
  webhook: ReplayTarget,
  after: LogPosition,
): Promise<boolean> {
  const upTo = await lockReaderCursor(ctx.tx, FAN_OUT_READER);
  // The reader skips a locked cursor, and must read again immediately.
  ctx.onCommit(() => ctx.services.wakeSignal.raise("events"));
  const rest: RecordedEvent[] = [];
  for (const environment of ENVIRONMENTS) {
    const read = () => readLogRange(ctx.tx, { after, upTo }, REST_EVENTS_MAX);
    const events = await runInEnvironment(ctx, environment, read);
    if (events.length === REST_EVENTS_MAX) return false;
    rest.push(...events);
  }
  await replayMatching(ctx, webhook, rest);
  await webhooks.update(ctx.tx, webhook.id, {
    place_epoch: null,
    place_xid: null,
    place_seq: null,
  });
  return true;
}

async function replayMatching(
  ctx: WriteContext<never>,
  webhook: ReplayTarget,
  events: readonly RecordedEvent[],
): Promise<void> {
  const { matches, isAfterStart } = webhook;
  const visible = await filterVisible(ctx, webhook, events);
  const missed = visible.filter((event) => isAfterStart(event) && matches(event));
  await replayEventsTo(ctx, webhook, missed);
}

/** Keeps the revision, because users do not see this change. */
async function updatePosition(
  tx: Tx,
  webhookId: string,
  { epoch, xid, seq }: LogPosition,
): Promise<void> {
  await sql`
    update webhooks set place_epoch = ${epoch}, place_xid = ${String(xid)}::xid8, place_seq = ${seq}
     where id = ${webhookId}`.execute(tx);
}

function laterPosition(left: LogPosition, right: LogPosition): LogPosition {
  return eventIdOf(left) > eventIdOf(right) ? left : right;
}
