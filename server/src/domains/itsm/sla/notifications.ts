import { findTeamMemberIds, ticketMail } from "../tickets/index.ts";
import { NotificationSent, notify } from "#domains/notifications/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EventData } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { SlaBreached, SlaWarning } from "./breach-events.ts";

const RECIPIENTS_MAX = 100;

/** Notifies the assignee of a breach or a warning; without an assignee the team. */
export const breachNotificationReader = reader({
  name: "sla.tell",
  on: [SlaBreached.type, SlaWarning.type],
  startsAt: "beginning",
  emits: [NotificationSent],
  async handle({ tx, because }, events) {
    for (const event of events) {
      // A published message can have this type, but its resource is not a ticket.
      if (event.resource.type !== SlaBreached.resource) continue;
      // The data was written with the schema of this event.
      const alert = event.data as EventData<typeof SlaBreached>;
      const userIds = await listRecipients(tx, alert);
      if (userIds.length === 0) continue;
      const { kind, id, number, title } = alert.ticket;
      await notify(because(event), {
        userIds,
        ...notificationText(alert, event.type === SlaBreached.type),
        mail: ticketMail({ id, number: number ?? id, title: title ?? "" }),
        about: { eventId: event.id, eventType: event.type, resource: { type: kind, id } },
      });
    }
  },
});

type Alert = EventData<typeof SlaBreached>;

async function listRecipients(tx: Tx, { ticket }: Alert): Promise<readonly string[]> {
  if (ticket.assigneeId !== null) return [ticket.assigneeId];
  if (ticket.teamId === null) return [];
  return (await findTeamMemberIds(tx, ticket.teamId)).slice(0, RECIPIENTS_MAX);
}

const TARGET_WORDS = {
  response: "a response",
  resolution: "its resolution",
  next_reply: "the next reply",
} as const;

function notificationText(
  { ticket, policyName, metric, name: target, targetMinutes, dueAt }: Alert,
  isBreach: boolean,
) {
  const end = metric === "custom" ? target : TARGET_WORDS[metric];
  const name = ticket.number ?? ticket.id;
  return {
    title: isBreach ? `${name} is overdue` : `${name} is due soon`,
    body:
      `${ticket.title ?? name}: ${policyName} allows ${targetMinutes} minutes until ${end}. ` +
      (isBreach ? `The target was missed at ${dueAt}.` : `The target is due at ${dueAt}.`),
  };
}
