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
  matchesTarget,
  type ReplayTarget,
  lockReplayTarget,
  isInRange,
} from "./replay-target.ts";

const Payload = Type.Object({ webhookId: Type.String() });
const RETRY_DELAY_MAX_MS = 60_000;
const BATCH_EVENTS_MAX = 500;
/** How much is made up while the reader waits. */
const REST_EVENTS_MAX = 2_000;
const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

/**
 * Makes up what a paused webhook missed. While it has a place, the reader that hands events out passes
 * over it, and this job hands out in its stead, batch by batch from the place to the reader's cursor.
 * Once it is close, the last step holds the reader still, goes up to its cursor exactly and clears the
 * place: what comes after the cursor is the reader's again. So each event is handed out, and in the
 * order of the log. Batches may be repeated: the ids of deliveries follow from event and webhook.
 */
export const replayMissedJob: JobType<typeof Payload> = job({
  kind: "webhooks.catch_up",
  payload: Payload,
  // It must not be given up: for as long as there is a place, nothing new is heard.
  attemptsMax: Number.MAX_SAFE_INTEGER,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** Math.min(attempt, 6), RETRY_DELAY_MAX_MS),
  effect: (platform, { webhookId }) => readBatch(platform, webhookId),
  run: async (ctx, { webhookId }, batch) => {
    if (batch && !(await makeUp(ctx, webhookId, batch))) {
      ctx.enqueue(replayMissedJob, { webhookId }, { key: webhookId });
    }
  },
});

interface Batch {
  readonly after: LogPosition;
  readonly events: readonly RecordedEvent[];
  /** All that the webhook could want up to here is among the events. */
  readonly upTo: LogPosition;
  readonly complete: boolean;
}

const PLACE = `
  select workspace_id, place_epoch as epoch, place_xid as xid, place_seq as seq
    from webhooks where id = $1 and status = 'active' and place_xid is not null`;

/** Undefined when there is nothing to make up, or not now. */
async function readBatch({ db }: Platform, webhookId: string): Promise<Batch | undefined> {
  type Row = Pick<EventRow, "workspace_id" | "epoch" | "xid" | "seq">;
  const [row] = await db.system<Row>(PLACE, [webhookId]);
  if (!row) return undefined;
  const after = positionOfRow(row);
  const partition = { workspace: row.workspace_id, environment: "production" } as const;
  const cursor = await db.read(partition, (tx) => readReaderCursor(tx, FAN_OUT_READER));
  if (!cursor) throw new Error(`The reader ${FAN_OUT_READER} is not registered.`);
  const span = { after, upTo: cursor };
  const events = await readWorkspaceLog(db, row.workspace_id, span, BATCH_EVENTS_MAX);
  const complete = events.length < BATCH_EVENTS_MAX;
  const upTo = (complete ? undefined : events.at(-1)?.position) ?? later(after, cursor);
  return { after, events, upTo, complete };
}

/** True when there is nothing left to make up. */
async function makeUp(ctx: WriteContext<never>, webhookId: string, batch: Batch): Promise<boolean> {
  const webhook = await lockReplayTarget(ctx.tx, webhookId);
  if (webhook?.status !== "active" || !webhook.place) return true;
  // Paused and resumed from elsewhere while the batch was read.
  if (eventIdOf(webhook.place) !== eventIdOf(batch.after)) return false;
  await handOutMissed(ctx, webhook, batch.events);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  if (batch.complete && (await arrive(ctx, webhook, batch.upTo))) return true;
  await moveTo(ctx.tx, webhookId, batch.upTo);
  return false;
}

/** Goes the rest of the way while the reader stands still; false when that is too far. */
async function arrive(
  ctx: WriteContext<never>,
  webhook: ReplayTarget,
  after: LogPosition,
): Promise<boolean> {
  const upTo = await lockReaderCursor(ctx.tx, FAN_OUT_READER);
  // The reader passes by what is being held, and should look again at once.
  ctx.onCommit(() => ctx.services.wakeSignal.raise("events"));
  const rest: RecordedEvent[] = [];
  for (const environment of ENVIRONMENTS) {
    const read = () => readLogRange(ctx.tx, { after, upTo }, REST_EVENTS_MAX);
    const events = await isInRange(ctx, environment, read);
    if (events.length === REST_EVENTS_MAX) return false;
    rest.push(...events);
  }
  await handOutMissed(ctx, webhook, rest);
  await webhooks.update(ctx.tx, webhook.id, {
    place_epoch: null,
    place_xid: null,
    place_seq: null,
  });
  return true;
}

async function handOutMissed(
  ctx: WriteContext<never>,
  webhook: ReplayTarget,
  events: readonly RecordedEvent[],
): Promise<void> {
  const { wants, hearsFrom } = webhook;
  const heard = await matchesTarget(ctx, webhook, events);
  const missed = heard.filter((event) => hearsFrom(event) && wants(event));
  await replayEventsTo(ctx, webhook, missed);
}

/** Not a change that anybody sees: the revision stays. */
async function moveTo(tx: Tx, webhookId: string, { epoch, xid, seq }: LogPosition): Promise<void> {
  await sql`
    update webhooks set place_epoch = ${epoch}, place_xid = ${String(xid)}::xid8, place_seq = ${seq}
     where id = ${webhookId}`.execute(tx);
}

function later(one: LogPosition, other: LogPosition): LogPosition {
  return eventIdOf(one) > eventIdOf(other) ? one : other;
}
