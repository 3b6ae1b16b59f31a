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
  /** The title behind the number. */
  readonly text: string;
}

/** Notifies approvers that their vote is needed, and requesters of the decision. */
export const notificationReader = reader({
  name: "changes.tell_people",
  on: [ChangeSubmitted.type, ChangeDelegated.type, ChangeApproved.type, ChangeRejected.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      const { id: eventId, type: eventType, resource, actor, depth } = event;
      if (depth >= CAUSATION_DEPTH_MAX) continue;
      const { userIds, text } = await toMessage(ctx.tx, event);
      // Nobody is notified of what they did themselves.
      const others = [...new Set(userIds)].filter((userId) => userId !== actor.id);
      if (others.length === 0) continue;
      await notify(ctx.because(event), {
        userIds: others,
        title: `${resource.number} ${text}`,
        body: `${resource.displayName}\nBy ${actor.name}`,
        about: { eventId, eventType, resource: { type: resource.type, id: resource.id } },
      });
    }
  },
});

async function toMessage(tx: Tx, event: RecordedEvent): Promise<Message> {
  // Each of these events has the change in it; only one has more.
  const change = event.data as Static<typeof Change> & { readonly toUserId?: string };
  const { id, type, createdBy } = change;
  switch (event.type) {
    case ChangeSubmitted.type: {
      const voters = type === "standard" ? [] : await findVoters(tx, change, event.createdAt);
      const userIds = voters.filter((userId) => userId !== createdBy);
      return { userIds, text: "waits for your approval" };
    }
    case ChangeDelegated.type:
      return { userIds: change.toUserId ? [change.toUserId] : [], text: "waits for your approval" };
    default: {
      const text = event.type === ChangeApproved.type ? "was approved" : "was rejected";
      return { userIds: (await isWatcher(tx, id, createdBy)) ? [] : [createdBy], text };
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

/** Finds the approvers of a change and their delegates, or all change managers where it names nobody. */
async function findVoters(
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

/** True of a watcher, who is notified of what happens to the ticket anyway. */
async function isWatcher(tx: Tx, ticketId: string, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("ticket_watchers")
    .select("user_id")
    .where("ticket_id", "=", ticketId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row !== undefined;
}
