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
  type PublishedMessage,
  TopicReserved,
} from "./topic.ts";

/** How long a second message with the same key is suppressed. */
const WINDOW_MS = 5 * 60_000;

/** The part of a transaction's context that publishing needs. */
type PublishContext = Pick<WriteContext, "tx" | "now" | "services" | "publish">;
type MessageInput = Static<TObject<typeof Message>>;

/** Appends a message to its topic, unless its key has been used. */
export async function publish(
  ctx: PublishContext,
  topic: string,
  message: MessageInput,
): Promise<Static<typeof PublishedMessage>> {
  const { services, tx, now } = ctx;
  if (isReserved(services, topic)) throw new Failure(TopicReserved);
  if (isPlatformType(services, message.type)) {
    throw invalidField("/type", "is a reserved type of platform events");
  }
  const { deduplicationKey: key } = message;
  if (key === undefined)
    return { id: await appendMessage(ctx, topic, message), deduplicated: false };
  const expiresAt = new Date(now.getTime() + WINDOW_MS);
  if (!(await store.claimKey(tx, { topic, key }, { now, expiresAt }))) {
    return { id: await store.getMessageId(tx, { topic, key }), deduplicated: true };
  }
  const id = await appendMessage(ctx, topic, message);
  await store.setMessageId(tx, { topic, key }, id);
  return { id, deduplicated: false };
}

function appendMessage(
  ctx: PublishContext,
  topic: string,
  { type, payload }: MessageInput,
): Promise<string> {
  return ctx.publish({
    topic,
    type,
    resourceType: "message",
    resource: { id: newId("msg", ctx.now.getTime()), displayName: topic },
    data: payload,
  });
}

/** Deletes expired deduplication keys, and the counts of empty topics. */
export const busRetentionJob = retentionJob({
  kind: "bus.prune",
  async remove({ db, clock, settings }, rowsMax) {
    const keys = await deleteAcrossWorkspaces(db, DELETE_EXPIRED_KEYS, [clock.now(), rowsMax]);
    // With unlimited retention, topics never become empty.
    if (settings.eventRetentionDays === 0) return keys;
    return Math.max(keys, await deleteAcrossWorkspaces(db, DELETE_EMPTY_TOPICS, [rowsMax]));
  },
});
