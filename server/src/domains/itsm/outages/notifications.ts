import { NotificationSent, notify } from "#domains/notifications/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { IncidentBroadcast, IncidentResolved, MajorEnded } from "../incidents/index.ts";
import { findAffected } from "./outage.ts";

/** Maximum number of people notified per call. */
const RECIPIENTS_MAX = 1_000;

/** Notifies affected people about broadcasts and the end of an outage. */
export const affectedNotificationReader = reader({
  name: "outages.tell_affected",
  on: [IncidentBroadcast.type, IncidentResolved.type, MajorEnded.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const message = messageFor(event);
      if (!message || event.depth >= CAUSATION_DEPTH_MAX) continue;
      const { id: eventId, type: eventType, resource, actor } = event;
      const affected = await findAffected(ctx.tx, resource.id);
      const others = affected.filter((userId) => userId !== actor.id);
      // References the outage, because some recipients cannot see the incident.
      const about = { eventId, eventType, resource: { type: "outage", id: resource.id } };
      const mail = { path: "/portal" as const };
      for (let start = 0; start < others.length; start += RECIPIENTS_MAX) {
        const userIds = others.slice(start, start + RECIPIENTS_MAX);
        await notify(ctx.because(event), { ...message, userIds, about, mail });
      }
    }
  },
});

function messageFor({ type, data, resource }: RecordedEvent) {
  const name = resource.displayName ?? "The outage";
  if (type === IncidentBroadcast.type) return { title: name, body: String(data["message"]) };
  if (type === IncidentResolved.type && data["isMajor"] !== true) return undefined;
  return {
    title: `Resolved: ${name}`,
    body: "The service should work again. Contact us if it does not.",
  };
}
