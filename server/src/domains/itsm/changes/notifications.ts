import type { Static } from "typebox";
import { findMembersWithRoles } from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import type { Change } from "./change.ts";
import { ChangeApproved, ChangeDelegated, ChangeRejected, ChangeSubmitted } from "./events.ts";

const MANAGERS_MAX = 200;

interface Message {
  readonly userIds: readonly string[];
  /** What follows the number. */
  readonly news: string;
}

/** Tells approvers that their vote is wanted, and requesters how it went. */
export const notificationReader = reader({
  name: "changes.tell_people",
  on: [ChangeSubmitted.type, ChangeDelegated.type, ChangeApproved.type, ChangeRejected.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const { id: eventId, type: eventType, resource, actor, depth } = event;
      if (depth >= CAUSATION_DEPTH_MAX) continue;
      const { userIds, news } = await messageOf(ctx.tx, event);
      // Nobody is told of what they did themselves.
      const others = [...new Set(userIds)].filter((userId) => userId !== actor.id);
      if (others.length === 0) continue;
      await notify(ctx.because(event), {
        userIds: others,
        title: `${resource.number} ${news}`,
        body: `${resource.displayName}\nBy ${actor.name}`,
        about: { eventId, eventType, resource: { type: resource.type, id: resource.id } },
      });
    }
  },
});

async function messageOf(tx: Tx, event: RecordedEvent): Promise<Message> {
  // Each of these events has the change in it; only one has more.
  const change = event.data as Static<typeof Change> & { readonly toUserId?: string };
  const { id, type, createdBy } = change;
  switch (event.type) {
    case ChangeSubmitted.type: {
      const wanted = type === "standard" ? [] : await votersOn(tx, change, event.createdAt);
      const userIds = wanted.filter((userId) => userId !== createdBy);
      return { userIds, news: "waits for your approval" };
    }
    case ChangeDelegated.type:
      return { userIds: change.toUserId ? [change.toUserId] : [], news: "waits for your approval" };
    default: {
      const news = event.type === ChangeApproved.type ? "was approved" : "was rejected";
      return { userIds: (await watches(tx, id, createdBy)) ? [] : [createdBy], news };
    }
  }
}

const VOTERS = `
  with holders as (
    select coalesce(p.user_id, seat) as id from unnest($1::text[]) seat
      left join change_proxies p on p.change_id = $2 and p.approver_id = seat)
  select id from holders
   union
  select d.to_user_id from holders join change_delegations d on d.user_id = id
   where d.starts_at <= $3 and d.ends_at > $3`;

/** Those whom the change names, who was handed their votes or stands in for them; or all change managers. */
async function votersOn(
  tx: Tx,
  { id, approval: { approverIds } }: Pick<Static<typeof Change>, "id" | "approval">,
  moment: string,
): Promise<readonly string[]> {
  if (approverIds.length === 0) {
    const managers = await findMembersWithRoles(tx, ["change_manager"], MANAGERS_MAX);
    return managers.map((member) => member.id);
  }
  const rows = await queryRows(tx, VOTERS, [approverIds, id, moment]);
  return rows.map((row) => String(row["id"]));
}

/** Who watches a ticket is told of all that becomes of it anyway. */
async function watches(tx: Tx, ticketId: string, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("ticket_watchers")
    .select("user_id")
    .where("ticket_id", "=", ticketId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row !== undefined;
}
