import type { Tx } from "#kernel/db/connection.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { type ApprovalRecord, findAsked, findInvolved } from "./approval.ts";

/** The subject of an approval. */
export interface Subject {
  readonly kind: string;
  readonly id: string;
}

const COLUMNS = `
  id, subject_kind, subject_id, state, requester_ids, managed_id, fallback, steps, position, expires_at,
  remind_after_hours, reminders, reminded_at, created_at, ended_at`;
/** The environment of a new row; null for subjects of the whole workspace. */
const ENVIRONMENT =
  "case when $1 then null else current_setting('millrace.environment')::environment end";

/** SQL: the latest approval of a row as JSON, for `readApproval`. */
export function approvalSql(table: string): string {
  return `
    (select to_jsonb(a) from approvals a where a.subject_id = ${table}.id order by a.created_at desc limit 1)`;
}

/** SQL: approvers of the approval of a row, and the delegates of those whose decision is open. */
export function involvedSql(table: string): string {
  const people = `select p.user_id from approval_people p where p.subject_id = ${table}.id`;
  return `array(${people} union select stand_ins_of(array(${people} and p.is_asked), now()))`;
}

/**
 * SQL condition: a person is an approver or decider of the row, or the delegate of an approver whose decision is open.
 * A delegation gives no access to what the approver decided before.
 */
export function involvesSql(kind: string, person: string): string {
  return `
    id = any (array(
      select p.subject_id from approval_people p
       where p.subject_kind = '${kind}'
         and (p.user_id = ${person}
              or p.is_asked and p.user_id = any (array(select decides_for(${person}, now()))))))`;
}

/** Locks the pending approval of a subject. */
export function lockPending(tx: Tx, subject: Subject): Promise<ApprovalRecord | undefined> {
  return findPending(tx, subject, " for update");
}

/** Finds the pending approval of a subject. */
export async function findPending(
  tx: Tx,
  { kind, id }: Subject,
  lock = "",
): Promise<ApprovalRecord | undefined> {
  const text = `
    select ${COLUMNS} from approvals
     where subject_kind = $1 and subject_id = $2 and state = 'pending'${lock}`;
  const [row] = await queryRows(tx, text, [kind, id]);
  return row && readApproval(row);
}

export interface PendingQuery {
  readonly kind: string;
  readonly after: string;
  readonly limit: number;
}

/** Lists the pending approvals of one subject kind, ordered by id. */
export async function listPending(
  tx: Tx,
  { kind, after, limit }: PendingQuery,
): Promise<readonly { readonly id: string; readonly subjectId: string }[]> {
  const text = `
    select id, subject_id as "subjectId" from approvals
     where subject_kind = $1 and state = 'pending' and id > $2 order by id limit $3`;
  return queryRows(tx, text, [kind, after, limit]);
}

const INSERT = `
  insert into approvals (environment, ${COLUMNS})
  values (${ENVIRONMENT}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`;
const UPDATE = `
  update approvals set state = $2, steps = $3, position = $4, reminders = $5, reminded_at = $6, ended_at = $7,
    requester_ids = $8
   where id = $1`;
const CLEAR_PEOPLE = "delete from approval_people where approval_id = $1";
const INSERT_PEOPLE = `
  insert into approval_people (environment, approval_id, subject_kind, subject_id, user_id, is_asked)
  select a.environment, a.id, a.subject_kind, a.subject_id, p.id, p.id = any ($3::text[])
    from approvals a, unnest($2::text[]) as p (id) where a.id = $1`;

export function insert(
  ctx: WriteContext<never>,
  approval: ApprovalRecord,
  { isOfWorkspace = false }: { readonly isOfWorkspace?: boolean | undefined },
): void {
  const { id, subjectKind, subjectId, state, requesterIds, managedId, fallback } = approval;
  const { steps, position, expiresAt, remindAfterHours, reminders, remindedAt } = approval;
  void ctx.send(INSERT, [
    isOfWorkspace,
    id,
    subjectKind,
    subjectId,
    state,
    requesterIds,
    managedId,
    fallback,
    JSON.stringify(steps),
    position,
    expiresAt,
    remindAfterHours,
    reminders,
    remindedAt,
    approval.createdAt,
    approval.endedAt,
  ]);
  insertPeople(ctx, approval);
}

/** Writes a locked approval. */
export function update(ctx: WriteContext<never>, approval: ApprovalRecord): void {
  const { id, state, steps, position, reminders, remindedAt, endedAt, requesterIds } = approval;
  const values = [id, state, JSON.stringify(steps), position, reminders, remindedAt, endedAt];
  void ctx.send(UPDATE, [...values, requesterIds]);
  void ctx.send(CLEAR_PEOPLE, [id]);
  insertPeople(ctx, approval);
}

function insertPeople(ctx: WriteContext<never>, approval: ApprovalRecord): void {
  const involved = findInvolved(approval);
  if (involved.length === 0) return;
  void ctx.send(INSERT_PEOPLE, [approval.id, involved, findAsked(approval)]);
}

/** Accepts a row, or a row as JSON. */
export function readApproval(row: SqlRow): ApprovalRecord {
  const time = (value: unknown) =>
    typeof value === "string" ? new Date(value).toISOString() : null;
  // Check constraints of the table guarantee the literal types.
  return {
    id: row["id"],
    subjectKind: row["subject_kind"],
    subjectId: row["subject_id"],
    state: row["state"],
    requesterIds: row["requester_ids"],
    managedId: row["managed_id"],
    fallback: row["fallback"],
    steps: row["steps"],
    position: row["position"],
    expiresAt: time(row["expires_at"]),
    remindAfterHours: row["remind_after_hours"],
    reminders: row["reminders"],
    remindedAt: time(row["reminded_at"]),
    createdAt: time(row["created_at"]),
    endedAt: time(row["ended_at"]),
  } as ApprovalRecord;
}
