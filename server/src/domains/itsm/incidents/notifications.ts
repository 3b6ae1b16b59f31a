import { NotificationSent, notify } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import { ticketMail } from "../tickets/index.ts";
import { IncidentBroadcast } from "./incident.ts";
import { findPeopleInvolved } from "./store.ts";

/** Maximum number of people notified per call. */
const RECIPIENTS_MAX = 1_000;

/** Notifies everyone involved in a major incident of a broadcast. */
export const broadcastNotificationReader = reader({
  name: "incidents.notify_broadcast",
  on: [IncidentBroadcast.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const { resource, data } = event;
      await notifyOthers(ctx, event, {
        userIds: await findPeopleInvolved(ctx.tx, resource.id),
        title: `${resource.number}: ${resource.displayName}`,
        body: String(data["message"]),
        mail: ticketMail({
          id: resource.id,
          number: String(resource.number),
          title: resource.displayName ?? "",
        }),
      });
    }
  },
});

/** Notifies members, except about their own actions. */
async function notifyOthers(
  ctx: ReaderContext<typeof NotificationSent>,
  event: RecordedEvent,
  message: Parameters<typeof notify>[1],
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
