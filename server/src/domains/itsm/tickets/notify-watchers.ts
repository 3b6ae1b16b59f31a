import { readPrincipals } from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { eventFiltersFor, visibilityContext, applyFilter } from "#kernel/log/event-visibility.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { TICKET_KINDS } from "./kind.ts";

/** How many people one call notifies. */
const RECIPIENTS_MAX = 1_000;

/** The notifications of watchers by event, behind the number of the ticket. */
const MESSAGES: Readonly<Record<string, string>> = {
  comment_added: "has a new comment",
  escalated: "was escalated",
  resolved: "was resolved",
  closed: "was closed",
  reopened: "was reopened",
  cancelled: "was cancelled",
  approved: "was approved",
  rejected: "was rejected",
  completed: "was completed",
  rolled_back: "was rolled back",
  known_error_declared: "is a known error now",
  fulfilled: "was fulfilled",
  failed: "could not be fulfilled",
  sla_breached: "missed its target time",
};

const NOTIFIED_EVENT_TYPES = TICKET_KINDS.flatMap((kind) =>
  Object.keys(MESSAGES).map((verb) => `${kind}.${verb}`),
);

/** Notifies the watchers of a ticket of what others do to it. */
export const watcherNotificationReader = reader({
  name: "desk.tell_watchers",
  on: NOTIFIED_EVENT_TYPES,
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    const shallow = events.filter(({ depth }) => depth < CAUSATION_DEPTH_MAX);
    const watchers = await findWatchers(ctx.tx, shallow);
    const watched = shallow.filter(({ resource }) => watchers.has(resource.id));
    if (watched.length === 0) return;
    // A watcher may not see the ticket any more, and internal comments are not for all of them.
    const filters = await eventFiltersFor(visibilityContext(ctx), watched);
    const person = await readPrincipals(ctx, [...new Set([...watchers.values()].flat())]);
    for (const event of watched) {
      const userIds = (watchers.get(event.resource.id) ?? []).filter(
        (id) => id !== event.actor.id && applyFilter(filters, event, person(id)),
      );
      await notifyUsers(ctx.because(event), event, userIds);
    }
  },
});

async function notifyUsers(
  ctx: WriteContext<typeof NotificationSent>,
  { resource, actor, type, id }: RecordedEvent,
  userIds: readonly string[],
): Promise<void> {
  const verb = type.slice(type.indexOf(".") + 1);
  const message = {
    title: `${resource.number} ${MESSAGES[verb]}`,
    body: `${resource.displayName ?? ""}\n${actor.name}`.trim(),
    about: { eventId: id, eventType: type, resource: { type: resource.type, id: resource.id } },
  };
  for (let start = 0; start < userIds.length; start += RECIPIENTS_MAX) {
    await notify(ctx, { ...message, userIds: userIds.slice(start, start + RECIPIENTS_MAX) });
  }
}

async function findWatchers(
  tx: Tx,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = [...new Set(events.map(({ resource }) => resource.id))];
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("ticket_watchers")
    .select(["ticket_id", "user_id"])
    .where("ticket_id", "in", ids)
    .orderBy("user_id")
    .execute();
  const watchers = new Map<string, string[]>();
  for (const { ticket_id, user_id } of rows) {
    const userIds = watchers.get(ticket_id);
    if (userIds) userIds.push(user_id);
    else watchers.set(ticket_id, [user_id]);
  }
  return watchers;
}
