import type { Static, TObject } from "typebox";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { newId } from "#kernel/schema/id.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import * as store from "./store.ts";
import { DELETE_EMPTY_TOPICS, DELETE_EXPIRED_KEYS } from "./store.ts";
import {
  isPlatformType,
  isReserved,
  type Message,
  type Published,
  TopicReserved,
} from "./topic.ts";

/** How long a second message with the same key is taken for the first one again. */
const WINDOW_MS = 5 * 60_000;

/** Of an act's context, what it takes to publish. */
type Publisher = Pick<WriteContext, "tx" | "now" | "services" | "publish">;
type Sent = Static<TObject<typeof Message>>;

/** Appends a message to its topic, unless its key says that this has been done. */
export async function publish(
  ctx: Publisher,
  topic: string,
  message: Sent,
): Promise<Static<typeof Published>> {
  const { services, tx, now } = ctx;
  if (isReserved(services, topic)) throw new Failure(TopicReserved);
  if (isPlatformType(services, message.type)) {
    throw invalidField("/type", "is a type of the platform's own events");
  }
  const { deduplicationKey: key } = message;
  if (key === undefined) return { id: await append(ctx, topic, message), deduplicated: false };
  const expiresAt = new Date(now.getTime() + WINDOW_MS);
  if (!(await store.takeKey(tx, { topic, key }, { now, expiresAt }))) {
    return { id: await store.messageOf(tx, { topic, key }), deduplicated: true };
  }
  const id = await append(ctx, topic, message);
  await store.nameMessage(tx, { topic, key }, id);
  return { id, deduplicated: false };
}

function append(
  { publish: put, now }: Publisher,
  topic: string,
  { type, payload }: Sent,
): Promise<string> {
  return put({
    topic,
    type,
    resourceType: "message",
    resource: { id: newId("msg", now.getTime()), displayName: topic },
    data: payload,
  });
}

/** Forgets keys whose window is over and topics that hold nothing. */
export const pruneBus = retentionJob({
  kind: "bus.prune",
  async remove({ db, clock, settings }, rowsMax) {
    const keys = await deleteAcrossWorkspaces(db, DELETE_EXPIRED_KEYS, [clock.now(), rowsMax]);
    // Where events are kept for ever, no topic becomes empty.
    if (settings.eventRetentionDays === 0) return keys;
    return Math.max(keys, await deleteAcrossWorkspaces(db, DELETE_EMPTY_TOPICS, [rowsMax]));
  },
});
