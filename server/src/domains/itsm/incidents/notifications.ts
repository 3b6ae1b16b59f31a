import { notify, NotificationSent } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import { IncidentAssigned, IncidentBroadcast } from "./incident.ts";
import { peopleAround } from "./store.ts";

/** How many people are told by one call. */
const RECIPIENTS_MAX = 1_000;

type Telling = ReaderContext<typeof NotificationSent>;

/** Tells people that they were given an incident. */
export const notifyAssignee = reader({
  name: "incidents.notify_assignee",
  on: [IncidentAssigned.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const { resource, actor, data } = event;
      await tell(ctx, event, {
        userIds: [String(data["assigneeId"])],
        title: `${resource.number} was assigned to you`,
        body: `${resource.displayName}\nPriority ${String(data["priority"])}, by ${actor.name}`,
      });
    }
  },
});

/** Brings what is told of a major incident to all who have to do with it. */
export const notifyBroadcast = reader({
  name: "incidents.notify_broadcast",
  on: [IncidentBroadcast.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const { resource, data } = event;
      await tell(ctx, event, {
        userIds: await peopleAround(ctx.tx, resource.id),
        title: `${resource.number}: ${resource.displayName}`,
        body: String(data["message"]),
      });
    }
  },
});

/** Nobody is told of what they did themselves. */
async function tell(
  ctx: Telling,
  event: RecordedEvent,
  message: { readonly userIds: readonly string[]; readonly title: string; readonly body: string },
): Promise<void> {
  const { id: eventId, type: eventType, resource, actor, depth } = event;
  const others = message.userIds.filter((userId) => userId !== actor.id);
  if (others.length === 0 || depth >= CAUSATION_DEPTH_MAX) return;
  const about = { eventId, eventType, resource: { type: resource.type, id: resource.id } };
  const because = ctx.because(event);
  for (let start = 0; start < others.length; start += RECIPIENTS_MAX) {
    const userIds = others.slice(start, start + RECIPIENTS_MAX);
    await notify(because, { ...message, userIds, about });
  }
}
