import Type, { type Static } from "typebox";
import type { Outside } from "#kernel/caller.ts";
import { eventIdOf, type Position, positionOf, type RecordedEvent } from "#kernel/event.ts";
import { job, type JobType } from "#kernel/job.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { cursorOf, placeBefore, readWorkspaceLog } from "#kernel/workspace-log.ts";
import { deliveryIdOf } from "../delivery/hearing.ts";
import { HAND_OUT, WORK } from "../delivery/work.ts";
import { RecoveryRequested } from "../events.ts";
import * as webhooks from "../store.ts";
import { referTo } from "../webhook.ts";
import { handOutTo, lockListener, within } from "./listener.ts";
import { before, pastPlace } from "./resuming.ts";
import * as store from "./store.ts";

const BATCH_EVENTS_MAX = 500;

const Payload = Type.Object({
  webhookId: Type.String(),
  /** A time or the id of an event, as it was asked for. */
  since: Type.String(),
  /** The places from which to go on, and up to which, written as ids of events. */
  after: Type.Optional(Type.String()),
  upTo: Type.String(),
});

/**
 * Goes through the log from some point to where the reader stood when it was asked for: what came
 * later, the reader hands out. What has no delivery gets one, and what has failed is tried again with
 * all its retries. Each batch is a job of its own, and may be repeated.
 */
export const recover: JobType<typeof Payload> = job({
  kind: "webhooks.recover",
  payload: Payload,
  effect: readBatch,
  run: async (ctx, payload, batch) => {
    if (!batch) return;
    await recoverEvents(ctx, payload.webhookId, batch.events);
    if (batch.next !== undefined) ctx.enqueue(recover, { ...payload, after: batch.next });
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
  const upTo = await cursorOf(ctx.tx, HAND_OUT);
  ctx.emit(RecoveryRequested, referTo(webhook), { webhookId, since });
  // Without a cursor no process has ever handed out anything: the reader has it all before it.
  if (upTo) ctx.enqueue(recover, { webhookId, since, upTo: eventIdOf(upTo) });
  return { webhookId, since };
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly next: string | undefined;
}

const WORKSPACE = "select workspace_id from webhooks where id = $1";

/** Undefined when the webhook is gone. */
async function readBatch(
  { db }: Outside,
  { webhookId, since, ...payload }: Static<typeof Payload>,
): Promise<Batch | undefined> {
  const [row] = await db.system<{ workspace_id: string }>(WORKSPACE, [webhookId]);
  const upTo = positionOf(payload.upTo);
  if (!row || !upTo) return undefined;
  const first = positionOf(since);
  const span = { after: placeIn(payload.after) ?? (await beginning({ db }, since)), upTo };
  const events = await readWorkspaceLog(db, row.workspace_id, span, BATCH_EVENTS_MAX);
  const sinceMs = first ? Number.NEGATIVE_INFINITY : Date.parse(since);
  return {
    events: events.filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs),
    next: events.length === BATCH_EVENTS_MAX ? events.at(-1)?.id : undefined,
  };
}

function placeIn(id: string | undefined): Position | undefined {
  return id === undefined ? undefined : positionOf(id);
}

function beginning({ db }: Pick<Outside, "db">, since: string): Promise<Position> | Position {
  const first = positionOf(since);
  return first ? before(first) : placeBefore(db, new Date(since));
}

async function recoverEvents(
  ctx: WriteContext<never>,
  webhookId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const webhook = await lockListener(ctx.tx, webhookId);
  if (!webhook || events.length === 0) return;
  // First those that exist: what is new is due anyway.
  for (const [environment, group] of Map.groupBy(events, (event) => event.environment)) {
    const ids = group.map(({ position }) => deliveryIdOf(position, webhookId));
    await within(ctx, environment, () => store.retryFailed(ctx.tx, webhook, ids, ctx.now));
  }
  await handOutTo(ctx, webhook, events.filter(webhook.wants));
  ctx.onCommit(() => ctx.services.signal.raise(WORK));
}
