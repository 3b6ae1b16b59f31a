import { sql } from "kysely";
import Type, { type Static } from "typebox";
import { type ApprovalSubject, ApprovalsDecide } from "#domains/approvals/index.ts";
import { findRoleNames } from "#domains/identity/roles/index.ts";
import { planOfVersion } from "#domains/workflows/index.ts";
import {
  type Caller,
  requireMembership,
  userIdOf,
  type WorkspaceRef,
} from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { toRunContext } from "../start/queued-start.ts";
import { type ApprovalDecision, stepMessage } from "../engine/journal-record.ts";
import { appendMessages } from "../engine/store.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { RunResumed } from "../events.ts";
import { AlreadyDecided, NotAnApprover, RunId, RunNotPaused } from "../run.ts";
import { lock } from "../store.ts";

/** A step waiting for the caller's decision. */
export const Approval = Type.Object(
  {
    runId: RunId,
    stepId: Type.String(),
    workflowId: id("wf"),
    workflowName: Type.String(),
    message: nullable(Type.String()),
    approvers: Type.Array(Type.String()),
    quorum: Type.Integer({ description: "Number of required approvals" }),
    decisions: Type.Integer({ description: "Number of approvals" }),
    createdAt: Time,
    expiresAt: nullable(Time),
  },
  { title: "Approval" },
);
export type Approval = Static<typeof Approval>;

/** A decision as the caller sends it. */
export interface DecisionInput {
  readonly approved: boolean;
  readonly comment?: string;
  readonly data?: unknown;
  readonly stepId?: string;
}

type In<C> = C & { readonly workspace: WorkspaceRef };

/**
 * True if the remaining approvers are fewer than required because approvers left the workspace or lost the role.
 * Owners can then decide, so that the run is not blocked.
 */
const LACKS_APPROVERS = sql`
  (select count(*) from memberships m
    where m.status = 'active' and m.user_id <> all (a.decided_by)
      and (m.user_id = any (a.approvers) or m.roles && a.approvers
           or exists (select from roles o where o.id = any (m.roles) and o.name = any (a.approvers))))
  < a.quorum - cardinality(a.decided_by)`;

interface ApprovalRow {
  readonly path: string;
  readonly approvers: readonly string[];
  readonly message: string | null;
  readonly quorum: number;
  readonly decided_by: readonly string[];
  readonly lacks_approvers: boolean;
}

/** A decision and its author. */
export const DecidedApproval = Type.Object(
  {
    id: id("apd"),
    runId: RunId,
    stepId: Type.String(),
    workflowId: id("wf"),
    workflowName: Type.String(),
    message: nullable(Type.String()),
    approved: Type.Boolean(),
    comment: nullable(Type.String()),
    decidedBy: Type.Object({ id: Type.String(), name: Type.String() }),
    decidedAt: Time,
  },
  { title: "DecidedApproval" },
);
export type DecidedApproval = Static<typeof DecidedApproval>;

const INSERT_DECISION = `
  insert into approval_decisions
    (id, run_id, path, approvers, message, approved, comment, decided_by, decider_name, decided_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const DELETE_APPROVAL = "delete from run_approvals where run_id = $1 and path = $2";
const ADD_DECIDER = `
  update run_approvals set decided_by = decided_by || array[$3::text] where run_id = $1 and path = $2`;

/** Adds the caller's decision to an approval. One rejection decides; otherwise the quorum does. */
export async function decideApproval(
  ctx: In<WriteContext<typeof RunResumed>>,
  runId: string,
  input: DecisionInput,
): Promise<void> {
  const { tx, services, now, caller } = ctx;
  const row = await lock(tx, runId);
  const open = await lockOpenApprovals(tx, runId, now);
  const approval = selectApproval(open, input.stepId);
  const { path, quorum, decided_by } = approval;
  const userId = userIdOf(caller);
  const isAsked = await isApprover(ctx, approval);
  const isFinal = !isAsked && isOwner(ctx) && approval.lacks_approvers;
  if (!isAsked && !isFinal) throw new Failure(NotAnApprover);
  if (decided_by.includes(userId)) throw new Failure(AlreadyDecided);
  const decision: ApprovalDecision = {
    userId,
    name: callerNameOf(caller),
    approved: input.approved,
    ...(input.comment !== undefined && { comment: input.comment }),
    ...(input.data !== undefined && { data: input.data }),
    at: now.toISOString(),
    ...(isFinal && { isFinal }),
  };
  if (!(await appendMessages(ctx, runId, [stepMessage(path, { decision })]))) {
    throw new Failure(RunNotPaused);
  }
  if (!input.approved || isFinal || decided_by.length + 1 >= quorum)
    void ctx.send(DELETE_APPROVAL, [runId, path]);
  else void ctx.send(ADD_DECIDER, [runId, path, userId]);
  noteDecision(ctx, runId, approval, decision);
  const version = await planOfVersion({ tx, services }, row.version_id);
  if (!version) throw new Error("A run that is not over keeps its version.");
  const run = toRunContext(row, version);
  const summary = toRunSummary(run, { status: row.status }, now);
  ctx.emit(RunResumed, runRef(run), { ...summary, stepId: path, approved: input.approved });
}

function noteDecision(
  ctx: WriteContext<typeof RunResumed>,
  runId: string,
  { path, approvers, message }: ApprovalRow,
  { approved, comment, userId, name, at }: ApprovalDecision,
): void {
  void ctx.send(INSERT_DECISION, [
    newId("apd"),
    runId,
    path,
    approvers,
    message,
    approved,
    comment ?? null,
    userId,
    name,
    at,
  ]);
}

/** The latest decision about a step of a run, for the subject of the run. */
export async function findLastDecision(
  tx: Tx,
  { runId, stepId }: { readonly runId: string; readonly stepId: string },
): Promise<Pick<DecidedApproval, "message" | "approved" | "comment" | "decidedBy"> | undefined> {
  const { rows } = await sql<DecidedApproval>`
    select d.message, d.approved, d.comment,
           jsonb_build_object('id', d.decided_by, 'name', d.decider_name) as "decidedBy"
      from approval_decisions d where d.run_id = ${runId} and d.path = ${stepId}
     order by d.id desc limit 1`.execute(tx);
  return rows[0];
}

/**
 * Lists decisions, newest first: decisions by the caller, or on approvals addressed to the caller. An owner sees all.
 */
export async function listDecided(
  ctx: In<ReadContext>,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<DecidedApproval[]> {
  const names = await findApproverNames(ctx);
  const { rows } = await sql<DecidedApproval>`
    select d.id, d.run_id as "runId", d.path as "stepId", r.workflow_id as "workflowId",
           w.name as "workflowName", d.message, d.approved, d.comment,
           jsonb_build_object('id', d.decided_by, 'name', d.decider_name) as "decidedBy", d.decided_at as "decidedAt"
      from approval_decisions d
      join runs r on r.id = d.run_id
      join workflows w on w.id = r.workflow_id
     where (d.decided_by = ${userIdOf(ctx.caller)} or d.approvers && ${names}::text[] or ${isOwner(ctx)})
       and ${before === undefined ? sql`true` : sql`d.id < ${before}`}
     order by d.id desc limit ${limit}`.execute(ctx.tx);
  return rows;
}

/** The open approvals addressed to the caller, newest runs first. */
export async function listApprovals(
  ctx: In<ReadContext>,
  page: { readonly before: readonly [string, string] | undefined; readonly limit: number },
): Promise<Approval[]> {
  const names = await findApproverNames(ctx);
  const { before, limit } = page;
  const { rows } = await sql<Approval>`
    select a.run_id as "runId", a.path as "stepId", r.workflow_id as "workflowId",
           w.name as "workflowName", a.message, a.approvers, a.quorum,
           cardinality(a.decided_by) as decisions, a.created_at as "createdAt",
           a.expires_at as "expiresAt"
      from run_approvals a
      join runs r on r.id = a.run_id
      join workflows w on w.id = r.workflow_id
     where (a.approvers && ${names}::text[] or ${isOwner(ctx)} and ${LACKS_APPROVERS}) and not a.decided_by @> array[${userIdOf(ctx.caller)}]
       and (a.expires_at is null or a.expires_at > ${ctx.now})
       and ${before ? sql`(a.run_id, a.path) < (${before[0]}, ${before[1]})` : sql`true`}
     order by a.run_id desc, a.path desc limit ${limit}`.execute(ctx.tx);
  return rows;
}

/** Counts stop at this number. */
const COUNTED_MAX = 1_000;

/** Counts the open approvals addressed to the caller. */
export async function countApprovals(ctx: In<ReadContext>): Promise<number> {
  const open = await listApprovals(ctx, { before: undefined, limit: COUNTED_MAX });
  return open.length;
}

/** Locks the open approvals of a run, so that concurrent decisions are counted in sequence. */
async function lockOpenApprovals(tx: Tx, runId: string, now: Date): Promise<ApprovalRow[]> {
  const { rows } = await sql<ApprovalRow>`
    select path, approvers, message, quorum, decided_by, ${LACKS_APPROVERS} as lacks_approvers
      from run_approvals a
     where run_id = ${runId} and (expires_at is null or expires_at > ${now})
     order by path for update of a`.execute(tx);
  return rows;
}

function selectApproval(open: readonly ApprovalRow[], stepId: string | undefined): ApprovalRow {
  const [first, second] = stepId ? open.filter(({ path }) => path === stepId) : open;
  if (!first) throw new Failure(RunNotPaused);
  if (second) {
    const paths = open.map(({ path }) => path).join(", ");
    throw invalidField("/stepId", `is required, because several steps wait: ${paths}`);
  }
  return first;
}

async function isApprover(ctx: In<ReadContext>, { approvers }: ApprovalRow): Promise<boolean> {
  const names = await findApproverNames(ctx);
  return approvers.some((name) => names.includes(name));
}

function isOwner({ caller, workspace }: In<ReadContext>): boolean {
  return requireMembership(caller, workspace.id).roles.includes("owner");
}

/** The names that approvals use for the caller: user id, role ids and role names. */
async function findApproverNames({ tx, caller, workspace }: In<ReadContext>): Promise<string[]> {
  const { roles } = requireMembership(caller, workspace.id);
  return [userIdOf(caller), ...roles, ...(await findRoleNames(tx, roles))];
}

function callerNameOf({ credential, actor }: Caller): string {
  return credential?.user.name ?? actor.name;
}

/** Shows workflow steps in the approvers' inbox. */
export const runSubject: ApprovalSubject = {
  kind: "run",
  permission: ApprovalsDecide,
  async list(ctx, limit) {
    const open = await listApprovals(ctx, { before: undefined, limit });
    return open.map(({ runId, stepId, workflowName, message, createdAt, expiresAt }) => {
      const id = `${runId}:${stepId}`;
      return {
        id,
        number: null,
        title: message ?? workflowName,
        about: message === null ? null : workflowName,
        path: `/approvals?open=${encodeURIComponent(id)}`,
        createdAt,
        expiresAt,
      };
    });
  },
};
