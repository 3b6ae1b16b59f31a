import { notify, NotificationSent } from "#domains/notifications/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/event.ts";
import { reader } from "#kernel/reader.ts";
import { TICKET_KINDS } from "./kind.ts";

/** What those who watch a ticket are told of, in the words that follow its number. */
const NEWS: Readonly<Record<string, string>> = {
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

const TOLD = TICKET_KINDS.flatMap((kind) => Object.keys(NEWS).map((verb) => `${kind}.${verb}`));

/** Tells those who watch a ticket what others do to it. */
export const tellWatchers = reader({
  name: "desk.tell_watchers",
  on: TOLD,
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    // What is internal is not for everyone who watches.
    const open = events.filter(({ data }) => data["internal"] !== true);
    const watchers = await watchersOf(ctx.tx, open);
    for (const event of open) {
      const { resource, actor, type, id } = event;
      const userIds = (watchers.get(resource.id) ?? []).filter((userId) => userId !== actor.id);
      if (userIds.length === 0) continue;
      const verb = type.slice(type.indexOf(".") + 1);
      await notify(ctx.because(event), {
        userIds,
        title: `${resource.number} ${NEWS[verb]}`,
        body: `${resource.displayName ?? ""}\n${actor.name}`.trim(),
        about: { eventId: id, eventType: type, resource: { type: resource.type, id: resource.id } },
      });
    }
  },
});

async function watchersOf(
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
    const known = watchers.get(ticket_id);
    if (known) known.push(user_id);
    else watchers.set(ticket_id, [user_id]);
  }
  return watchers;
}
