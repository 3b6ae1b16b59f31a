import type { Static } from "typebox";
import { findMembersWithRoles } from "#domains/identity/accounts/index.ts";
import { NotificationSent } from "#domains/notifications/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { notifyOfTicket } from "../tickets/index.ts";
import type { Change } from "./change.ts";
import { ApproversRemoved, ChangeDelegated, ChangeSubmitted } from "./events.ts";

const MANAGERS_MAX = 200;

interface Message {
  readonly userIds: readonly string[];
  /** Follows the number. */
  readonly title: string;
}

const ASKED = "waits for your approval";

/** Notifies approvers about required votes, and requesters about approvers who can't vote any more. */
export const notificationReader = reader({
  name: "changes.tell_people",
  on: [ChangeSubmitted.type, ChangeDelegated.type, ApproversRemoved.type],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      for (const message of await toMessages(ctx.tx, event)) {
        await notifyOfTicket(ctx.because(event), event, message);
      }
    }
  },
});

async function toMessages(tx: Tx, event: RecordedEvent): Promise<readonly Message[]> {
  // Each of these events contains the change, and one has an additional field.
  const change = event.data as Static<typeof Change> & { readonly toUserId?: string };
  const { type, state, createdBy, approval } = change;
  if (event.type === ChangeDelegated.type) {
    return [{ userIds: change.toUserId ? [change.toUserId] : [], title: ASKED }];
  }
  const isAsked = event.type === ChangeSubmitted.type || approval.approverIds.length === 0;
  const voters =
    isAsked && type !== "standard" && state === "submitted"
      ? await findVoters(tx, change, event.createdAt)
      : [];
  const asked = { userIds: voters.filter((userId) => userId !== createdBy), title: ASKED };
  if (event.type === ChangeSubmitted.type) return [asked];
  return [asked, { userIds: [createdBy], title: "continues without an approver who left" }];
}

const VOTERS = `
  with holders as (
    select coalesce(p.user_id, seat) as id from unnest($1::text[]) seat
      left join change_proxies p on p.change_id = $2 and p.approver_id = seat)
  select id from holders
   union
  select stand_ins_of(array(select id from holders), $3)`;

/** Finds the approvers of a change and their delegates, or all change managers if it names none. */
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
