import Type, { type Static } from "typebox";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { parseTime } from "#kernel/condition/parse-time.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { id, InputTime, nullable, object, Time } from "#kernel/schema/schema.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";

/** A delegate decides all approvals of an approver until the delegation ends. */
export const Delegation = Type.Object(
  {
    userId: id("usr", "The approver"),
    toUserId: id("usr", "The delegate, who decides for the approver"),
    from: Time,
    to: Time,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ChangeDelegation" },
);
type DelegationData = Static<typeof Delegation>;
export type Delegation = DelegationData & { readonly revision: number };

/** The delegation in the data of events. */
function delegationEventData({ revision: _, ...delegation }: Delegation): DelegationData {
  return delegation;
}

const about = { resource: "change_delegation", data: Delegation };

export const DelegationSet = event("change_delegation.set", {
  ...about,
  summary: "An approver set a delegate for a time.",
});
export const DelegationEnded = event("change_delegation.ended", {
  ...about,
  summary: "An approver ended a delegation.",
});

/** The delegation granted by a member, and the delegations granted to the member. */
export const Delegations = Type.Object(
  { given: nullable(Delegation), received: Type.Array(Delegation) },
  { title: "ChangeDelegations" },
);

export const DelegationInput = object({ toUserId: id("usr"), from: InputTime, to: InputTime });

export async function readDelegations({ tx, caller }: ReadContext) {
  const me = authorOf(caller);
  const [delegation = null, received] = await Promise.all([
    findGiven(tx, me),
    listReceived(tx, me),
  ]);
  return {
    given: delegation,
    received,
    ...(delegation && { revision: delegation.revision }),
  };
}

/** Sets the delegate of the caller, and replaces the former one. */
export async function setDelegation(
  ctx: WriteContext<typeof DelegationSet>,
  { toUserId, ...times }: Static<typeof DelegationInput>,
): Promise<Delegation> {
  const me = authorOf(ctx.caller);
  const [from, to] = [parseMoment("/from", times.from), parseMoment("/to", times.to)];
  if (to <= from) throw invalidField("/to", "must be after from");
  if (toUserId === me) throw invalidField("/toUserId", "must be another member");
  const [member] = await findMembersByIds(ctx.tx, [toUserId]);
  if (!member) throw invalidField("/toUserId", "is not the id of an active member");
  const before = await lockGiven(ctx.tx, me);
  ctx.expectRevision(before?.revision ?? 0);
  const now = ctx.now.toISOString();
  const delegation: Delegation = {
    userId: me,
    toUserId,
    from,
    to,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    revision: (before?.revision ?? 0) + 1,
  };
  await upsert(ctx.tx, delegation);
  ctx.emit(DelegationSet, { id: me }, delegationEventData(delegation));
  return delegation;
}

/** Ends the delegation of the caller. Throws 404 if the caller has no delegation. */
export async function endDelegation(ctx: WriteContext<typeof DelegationEnded>): Promise<void> {
  const me = authorOf(ctx.caller);
  const delegation = await lockGiven(ctx.tx, me);
  if (!delegation) throw new Failure(NotFound);
  ctx.expectRevision(delegation.revision);
  await remove(ctx.tx, me);
  ctx.emit(DelegationEnded, { id: me }, delegationEventData(delegation));
}

function parseMoment(path: string, time: string): string {
  const moment = parseTime(time);
  if (moment === undefined) throw invalidField(path, "must be a time before the year 10000");
  return moment;
}

const COLUMNS = `
  user_id as "userId", to_user_id as "toUserId", starts_at as from, ends_at as to, revision,
  created_at as "createdAt", updated_at as "updatedAt"`;
const RECEIVED_MAX = 200;

/** Finds the delegation granted by a member. */
async function findGiven(tx: Tx, userId: string, lock = ""): Promise<Delegation | undefined> {
  const text = `select ${COLUMNS} from approval_delegations where user_id = $1${lock}`;
  const [row] = await queryRows(tx, text, [userId]);
  return row && toDelegation(row);
}

/** Locks the row until the transaction ends. */
function lockGiven(tx: Tx, userId: string): Promise<Delegation | undefined> {
  return findGiven(tx, userId, " for update");
}

async function listReceived(tx: Tx, userId: string): Promise<Delegation[]> {
  const text = `
    select ${COLUMNS} from approval_delegations where to_user_id = $1
     order by starts_at, user_id limit ${RECEIVED_MAX}`;
  return (await queryRows(tx, text, [userId])).map(toDelegation);
}

async function upsert(tx: Tx, delegation: Delegation): Promise<void> {
  const { userId, toUserId, from, to, revision, createdAt, updatedAt } = delegation;
  const changing = {
    to_user_id: toUserId,
    starts_at: from,
    ends_at: to,
    revision,
    updated_at: updatedAt,
  };
  await tx
    .insertInto("approval_delegations")
    .values({ user_id: userId, created_at: createdAt, ...changing })
    .onConflict((conflict) => conflict.columns(["workspace_id", "user_id"]).doUpdateSet(changing))
    .execute();
}

async function remove(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("approval_delegations").where("user_id", "=", userId).execute();
}

/** Columns and fields have the same names. */
function toDelegation(row: SqlRow): Delegation {
  return row as unknown as Delegation;
}
