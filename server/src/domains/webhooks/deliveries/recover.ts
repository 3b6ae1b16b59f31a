import Type, { type Static } from "typebox";
import type { Platform, JobType, WriteContext } from "#kernel/contract.ts";
import { eventIdOf, type LogPosition, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import {
  readReaderCursor,
  findPositionBefore,
  positionOfTransaction,
  readWorkspaceLog,
  type LogRange,
} from "#kernel/log/workspace-log.ts";
import { canReceive } from "../audit-access.ts";
import { deliveryIdOf } from "../sending/subscription.ts";
import { FAN_OUT_READER, DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import { RecoveryRequested } from "../events.ts";
import * as webhooks from "../store.ts";
import { webhookRef } from "../webhook.ts";
import { replayEventsTo, matchesTarget, lockReplayTarget, isInRange } from "./replay-target.ts";
import { before, pastPlace } from "./resume.ts";
import * as store from "./store.ts";

const BATCH_EVENTS_MAX = 500;
/** How long to wait for the reader to get further. */
const WAIT_MS = 50;

const Payload = Type.Object({
  webhookId: Type.String(),
  /** A time or the id of an event, as it was asked for. */
  since: Type.String(),
  /** The places from which to go on, and up to which, written as ids of events. */
  after: Type.Optional(Type.String()),
  upTo: Type.String(),
});

/**
 * Goes through the log from some point to where it ended when this was asked for. What has no delivery
 * gets one, and what has failed is tried again with all its retries. Each batch is a job of its own,
 * and may be repeated.
 */
export const recover: JobType<typeof Payload> = job({
  kind: "webhooks.recover",
  payload: Payload,
  effect: readBatch,
  run: async (ctx, payload, batch) => {
    if (!batch) return;
    await recoverEvents(ctx, payload.webhookId, batch.events);
    const { next } = batch;
    if (next === undefined) return;
    const dueAt = new Date(ctx.now.getTime() + next.delayMs);
    ctx.enqueue(recover, { ...payload, after: eventIdOf(next.after) }, { dueAt });
  },
});

/** Asks for what a webhook missed since a time, or from some event on. */
export async function requestRecovery(
  ctx: WriteContext<typeof RecoveryRequested>,
  webhookId: string,
  since: string,
): Promise<{ readonly webhookId: string; readonly since: string }> {
  const webhook = await webhooks.get(ctx.tx, webhookId);
  if (positionOf(since)) await pastPlace(ctx, "/since", since);
  ctx.emit(RecoveryRequested, webhookRef(webhook), { webhookId, since });
  const upTo = eventIdOf(await positionOfTransaction(ctx.tx, ctx.services.epoch));
  ctx.enqueue(recover, { webhookId, since, upTo });
  return { webhookId, since };
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  /** From where to go on and when, unless this was all. */
  readonly next: { readonly after: LogPosition; readonly delayMs: number } | undefined;
}

const WORKSPACE = "select workspace_id from webhooks where id = $1";

/**
 * Undefined when the webhook is gone. No further than the reader that hands out has come: there the
 * log may still change. Since the request itself is an event, the reader gets as far as is asked for.
 */
async function readBatch(
  { db }: Platform,
  { webhookId, since, ...payload }: Static<typeof Payload>,
): Promise<Batch | undefined> {
  const [row] = await db.system<{ workspace_id: string }>(WORKSPACE, [webhookId]);
  if (!row) return undefined;
  const partition = { workspace: row.workspace_id, environment: "production" } as const;
  const cursor = await db.read(partition, (tx) => readReaderCursor(tx, FAN_OUT_READER));
  if (!cursor) throw new Error(`The reader ${FAN_OUT_READER} is not registered.`);
  const after = placeIn(payload.after) ?? (await beginning(db, since));
  const end = placeIn(payload.upTo) ?? cursor;
  const upTo = isBefore(cursor, end) ? cursor : end;
  const events = await readWorkspaceLog(db, row.workspace_id, { after, upTo }, BATCH_EVENTS_MAX);
  const sinceMs = positionOf(since) ? Number.NEGATIVE_INFINITY : Date.parse(since);
  return {
    events: events.filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs),
    next: nextOf({ after, upTo, end }, events),
  };
}

function nextOf(
  { after, upTo, end }: LogRange & { readonly end: LogPosition },
  events: readonly RecordedEvent[],
): Batch["next"] {
  const last = events.at(-1);
  if (last && events.length === BATCH_EVENTS_MAX) return { after: last.position, delayMs: 0 };
  if (!isBefore(upTo, end)) return undefined;
  return { after: isBefore(after, upTo) ? upTo : after, delayMs: WAIT_MS };
}

function isBefore(left: LogPosition, right: LogPosition): boolean {
  return eventIdOf(left) < eventIdOf(right);
}

function placeIn(id: string | undefined): LogPosition | undefined {
  return id === undefined ? undefined : positionOf(id);
}

function beginning(db: Platform["db"], since: string): Promise<LogPosition> | LogPosition {
  const first = positionOf(since);
  return first ? before(first) : findPositionBefore(db, new Date(since));
}

async function recoverEvents(
  ctx: WriteContext<never>,
  webhookId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const webhook = await lockReplayTarget(ctx.tx, webhookId);
  if (!webhook) return;
  const heard = await matchesTarget(ctx, webhook, events);
  const allowed = heard.filter((event) => canReceive(webhook, event));
  // First those that exist: what is new is due anyway.
  for (const [environment, group] of Map.groupBy(allowed, (event) => event.environment)) {
    const ids = group.map(({ position }) => deliveryIdOf(position, webhookId));
    await isInRange(ctx, environment, () => store.retryFailed(ctx.tx, webhook, ids, ctx.now));
  }
  await replayEventsTo(ctx, webhook, allowed.filter(webhook.wants));
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
}
