/** Resolves approvers to members, and finds their delegates. */
import {
  findManagers,
  findMembersByIds,
  findMembersWithPermission,
  findMembersWithRoles,
  listMembers,
} from "#domains/identity/accounts/index.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { type ApprovalRecord, findAsked, type StepState } from "./approval.ts";
import type { Approver } from "./approver.ts";
import { findPending, type Subject } from "./store.ts";

/** Maximum number of members in a role or team. */
const GROUP_MAX = 200;
/** The maximum number of members that are checked for a permission. */
const MEMBERS_MAX = 1_000;
/** The maximum number of management levels. */
const LEVELS_MAX = 20;

type Asked = Pick<ApprovalRecord, "requesterIds" | "managedId">;

/** Resolves the seats of a step to active members. Requesters are excluded. */
export async function findSeats(
  tx: Tx,
  { approvers }: Pick<StepState, "approvers">,
  asked: Asked,
): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (const approver of approvers) found.push(await findPeople(tx, approver, asked));
  return found.map((people) => people.filter((id) => !asked.requesterIds.includes(id)));
}

async function findPeople(
  tx: Tx,
  { kind, id }: Approver,
  asked: Asked,
): Promise<readonly string[]> {
  if (kind === "manager") return findManager(tx, asked);
  if (typeof id !== "string") return [];
  if (kind === "role") return idsOf(await findMembersWithRoles(tx, [id], GROUP_MAX));
  if (kind === "person") return idsOf(await findMembersByIds(tx, [id]));
  return idsOf(await findMembersByIds(tx, await findTeamPeople(tx, id)));
}

/** Finds the nearest manager who is an active member and not a requester. */
async function findManager(tx: Tx, { managedId, requesterIds }: Asked): Promise<readonly string[]> {
  let below = managedId;
  for (let level = 0; level < LEVELS_MAX; level += 1) {
    const managerId = (await findManagers(tx, [below])).get(below);
    if (managerId === undefined) return [];
    const [manager] = await findMembersByIds(tx, [managerId]);
    if (manager && !requesterIds.includes(managerId)) return [managerId];
    below = managerId;
  }
  return [];
}

async function findTeamPeople(tx: Tx, teamId: string): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom("team_members")
    .select("user_id")
    .where("team_id", "=", teamId)
    .orderBy("user_id")
    .limit(GROUP_MAX)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Finds the approvers that a member represents at a time. */
export async function findPrincipals(
  tx: Tx,
  userId: string,
  moment: Date,
): Promise<ReadonlySet<string>> {
  const rows = await queryRows<{ id: string }>(tx, "select decides_for($1, $2) as id", [
    userId,
    moment,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Finds the people to notify: approvers and their delegates, or members with the fallback permission. */
export async function findAudience(
  ctx: Pick<ReadContext, "tx" | "services" | "now">,
  {
    asked,
    fallback,
    requesterIds,
  }: {
    readonly asked: readonly string[];
    readonly fallback: Permission;
    readonly requesterIds: readonly string[];
  },
): Promise<readonly string[]> {
  const others = (ids: readonly string[]) => ids.filter((id) => !requesterIds.includes(id));
  if (asked.length > 0) {
    const text = "select stand_ins_of($1::text[], $2) as id";
    const rows = await queryRows<{ id: string }>(ctx.tx, text, [asked, ctx.now]);
    return others([...new Set([...asked, ...rows.map(({ id }) => id)])]);
  }
  const members = others(idsOf(await listMembers(ctx.tx, { after: "", limit: MEMBERS_MAX })));
  return [...(await findMembersWithPermission(ctx, fallback, members))];
}

/** Finds the people to notify about the pending approval of a subject; nobody if it has ended. */
export async function findSubjectAudience(
  ctx: Pick<ReadContext, "tx" | "services" | "now">,
  subject: Subject,
  fallback: Permission,
): Promise<readonly string[]> {
  const approval = await findPending(ctx.tx, subject);
  if (!approval) return [];
  const { requesterIds } = approval;
  return findAudience(ctx, { asked: findAsked(approval), fallback, requesterIds });
}

const idsOf = (members: readonly { readonly id: string }[]): readonly string[] =>
  members.map(({ id }) => id);
