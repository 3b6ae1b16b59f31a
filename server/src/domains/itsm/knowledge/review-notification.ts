import { notify, NotificationSent } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { ArticleData } from "./article.ts";
import { ArticleReturned, ArticleSubmittedForReview } from "./events.ts";

/** Notifies the reviewer, or the author when the article is returned. */
export const reviewReader = reader({
  name: "knowledge.review",
  on: [ArticleSubmittedForReview.type, ArticleReturned.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const recipient = recipientOf(event);
      if (event.depth >= CAUSATION_DEPTH_MAX || recipient.userId === event.actor.id) continue;
      if (recipient.userId === null) continue;
      const { id, number, displayName } = event.resource;
      await notify(ctx.because(event), {
        userIds: [recipient.userId],
        title: `${number ?? id} ${recipient.title}`,
        body: [`${displayName ?? ""}\nBy ${event.actor.name}`.trim(), recipient.more]
          .filter(Boolean)
          .join("\n\n"),
        about: {
          eventId: event.id,
          eventType: event.type,
          resource: { type: event.resource.type, id },
        },
        mail: { path: `/knowledge/${number ?? id}` },
      });
    }
  },
});

function recipientOf({ type, data }: RecordedEvent) {
  // The event data has this schema.
  const {
    reviewerId = null,
    authorId,
    reason,
  } = data as unknown as ArticleData & {
    readonly reason?: string;
  };
  return type === ArticleReturned.type
    ? { userId: authorId, title: "was returned from review", more: reason ?? "" }
    : { userId: reviewerId, title: "is waiting for your review", more: "" };
}
