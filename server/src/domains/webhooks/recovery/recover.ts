import Type, { type Static } from "typebox";
import type { Platform, JobType, WriteContext } from "#kernel/contract.ts";
import { eventIdOf, type LogPosition, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { job } from "#kernel/work/job.ts";
import {
  readReaderCursor,
  findPositionBefore,
  positionOfTransaction,
  readWorkspaceLog,
  type LogRange,
} from "#kernel/log/workspace-log.ts";
import { canReceive } from "../audit-access.ts";
import { buildDeliveryId } from "../sending/subscription.ts";
import { FAN_OUT_READER, DELIVERIES_DUE_SIGNAL } from "../sending/pending-delivery.ts";
import { RecoveryRequested, WebhookRecovered } from "../events.ts";
import * as webhooks from "../store.ts";
import { webhookRef } from "../webhook.ts";
import {
  replayEventsTo,
  filterVisible,
  lockReplayTarget,
  runInEnvironment,
} from "../deliveries/replay-target.ts";
import { positionBefore, parsePastPosition } from "../deliveries/resume.ts";
import * as deliveries from "../deliveries/store.ts";
import { type Recovery, RECOVERY_CHOICES } from "./recovery.ts";
import * as store from "./store.ts";

const BATCH_EVENTS_MAX = 500;
/** The time to wait for the fan-out reader to advance. */
const WAIT_MS = 50;

const Payload = Type.Object({
  webhookId: Type.String(),
  /** The id of the recovery that records progress; absent in jobs of earlier versions. */
  recoveryId: Type.Optional(Type.String()),
  /** A time or an event id, as in the request. */
  since: Type.String(),
  until: Type.Optional(Type.String()),
  only: Type.Optional(Type.Enum([...RECOVERY_CHOICES])),
  /** The positions to continue from and to end at, as event ids. */
  after: Type.Optional(Type.String()),
  upTo: Type.String(),
});

/**
 * Recovers a range of the log, up to its end at the time of the request. Events without a delivery get one, and
 * failed deliveries get all their retries again. Each batch is a separate job, and may be repeated.
 */
export const recoverJob: JobType<typeof Payload> = job({
  kind: "webhooks.recover",
  payload: Payload,
  emits: [WebhookRecovered],
  effect: readBatch,
  run: async (ctx, payload, batch) => {
    if (!batch) return;
    const { next } = batch;
    const step = await recoverEvents(ctx, payload, batch.events);
    if (step) await recordStep(ctx, payload, step, next === undefined);
    if (next === undefined) return;
    const dueAt = new Date(ctx.now.getTime() + next.delayMs);
    ctx.enqueue(recoverJob, { ...payload, after: eventIdOf(next.after) }, { dueAt });
  },
});

interface RecoveryInput {
  readonly since: string;
  readonly until?: string | undefined;
  readonly only?: "failed" | "missing" | undefined;
}

/** Requests the recovery of a webhook from a time or an event. */
export async function requestRecovery(
  ctx: WriteContext<typeof RecoveryRequested>,
  webhookId: string,
  { since, until, only }: RecoveryInput,
): Promise<Recovery> {
  const webhook = await webhooks.get(ctx.tx, webhookId);
  if (positionOf(since)) await parsePastPosition(ctx, "/since", since);
  if (until !== undefined && !positionOf(since) && Date.parse(until) <= Date.parse(since)) {
    throw invalidField("/until", "must be after since");
  }
  const upTo = eventIdOf(await positionOfTransaction(ctx.tx));
  const requestedBy = ctx.caller.actor.id;
  const id = newId("rcv", ctx.now.getTime());
  const recovery = await store.insert(ctx.tx, {
    id,
    webhookId,
    since,
    until: until ?? null,
    only: only ?? null,
    requestedBy,
    now: ctx.now,
  });
  const limits = { ...(until !== undefined && { until }), ...(only !== undefined && { only }) };
  ctx.emit(RecoveryRequested, webhookRef(webhook), { webhookId, since, recoveryId: id, ...limits });
  ctx.enqueue(recoverJob, { webhookId, recoveryId: id, since, upTo, ...limits });
  return recovery;
}

/** Saves the progress, and emits an event at the end. */
async function recordStep(
  ctx: WriteContext<typeof WebhookRecovered>,
  { webhookId, recoveryId, since }: Static<typeof Payload>,
  step: store.RecoveryStep,
  isLast: boolean,
): Promise<void> {
  if (recoveryId === undefined) return;
  const recovery = await store.advance(ctx.tx, recoveryId, step, isLast ? ctx.now : null);
  if (!recovery || !isLast) return;
  const { checked, matched, created, retried } = recovery;
  const data = { webhookId, recoveryId, since, checked, matched, created, retried };
  ctx.emit(WebhookRecovered, webhookRef(await webhooks.get(ctx.tx, webhookId)), data);
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  /** The position and delay of the next batch; undefined after the last one. */
  readonly next: { readonly after: LogPosition; readonly delayMs: number } | undefined;
}

const WORKSPACE = "select workspace_id, created_at from webhooks where id = $1";

/**
 * Reads the next batch; undefined if the webhook was deleted. It ends at the cursor of the fan-out reader, because
 * the log may still change after it. The request itself is an event, so the reader reaches the end.
 */
async function readBatch(
  { db }: Platform,
  { webhookId, since, ...payload }: Static<typeof Payload>,
): Promise<Batch | undefined> {
  const [row] = await db.system<{ workspace_id: string; created_at: string }>(WORKSPACE, [
    webhookId,
  ]);
  if (!row) return undefined;
  const partition = { workspace: row.workspace_id, environment: "production" } as const;
  const cursor = await db.read(partition, (tx) => readReaderCursor(tx, FAN_OUT_READER));
  if (!cursor) throw new Error(`The reader ${FAN_OUT_READER} is not registered.`);
  const after = parsePosition(payload.after) ?? (await findStart(db, since));
  const end = parsePosition(payload.upTo) ?? cursor;
  const upTo = isBefore(cursor, end) ? cursor : end;
  const events = await readWorkspaceLog(db, row.workspace_id, { after, upTo }, BATCH_EVENTS_MAX);
  const sinceMs = positionOf(since) ? Number.NEGATIVE_INFINITY : Date.parse(since);
  // If limited to one choice, a webhook receives nothing from before its creation.
  const startMs = payload.only ? Math.max(sinceMs, Date.parse(row.created_at)) : sinceMs;
  const untilMs = payload.until === undefined ? Infinity : Date.parse(payload.until);
  return {
    events: events.filter(({ createdAt }) => {
      const atMs = Date.parse(createdAt);
      return atMs >= startMs && atMs < untilMs;
    }),
    next: planNextBatch({ after, upTo, end }, events),
  };
}

function planNextBatch(
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

function parsePosition(id: string | undefined): LogPosition | undefined {
  return id === undefined ? undefined : positionOf(id);
}

function findStart(db: Platform["db"], since: string): Promise<LogPosition> | LogPosition {
  const first = positionOf(since);
  return first ? positionBefore(first) : findPositionBefore(db, new Date(since));
}

/** Undefined when the webhook is deleted. */
async function recoverEvents(
  ctx: WriteContext<typeof WebhookRecovered>,
  { webhookId, only }: Pick<Static<typeof Payload>, "webhookId" | "only">,
  events: readonly RecordedEvent[],
): Promise<store.RecoveryStep | undefined> {
  const webhook = await lockReplayTarget(ctx.tx, webhookId);
  if (!webhook) return undefined;
  const visible = await filterVisible(ctx, webhook, events);
  const allowed = visible.filter((event) => canReceive(webhook, event));
  let retried = 0;
  // Existing deliveries come first: new ones are due anyway.
  const mayHaveFailed = only === "missing" ? [] : allowed;
  for (const [environment, group] of Map.groupBy(mayHaveFailed, (event) => event.environment)) {
    const ids = group.map(({ position }) => buildDeliveryId(position, webhookId));
    retried += await runInEnvironment(ctx, environment, () =>
      deliveries.retryFailed(ctx.tx, webhook, ids, ctx.now),
    );
  }
  const matching = allowed.filter(webhook.matches);
  const created = only === "failed" ? 0 : await replayEventsTo(ctx, webhook, matching);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(DELIVERIES_DUE_SIGNAL));
  const reachedAt = events.at(-1)?.createdAt;
  return { checked: events.length, matched: matching.length, created, retried, reachedAt };
}
