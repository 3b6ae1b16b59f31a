import { sql } from "kysely";
import Type, { type Static } from "typebox";
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
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { runContextOf } from "../start/queued-start.ts";
import type { Decision } from "../engine/journal-record.ts";
import { queueCommand } from "../engine/store.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { RunResumed } from "../events.ts";
import { AlreadyDecided, NotAnApprover, RunId, RunNotPaused } from "../run.ts";
import { lock } from "../store.ts";

/** Something that waits for the caller's word. */
export const Approval = Type.Object(
  {
    runId: RunId,
    stepId: Type.String(),
    workflowId: id("wf"),
    workflowName: Type.String(),
    message: nullable(Type.String()),
    approvers: Type.Array(Type.String()),
    quorum: Type.Integer({ description: "How many must approve" }),
    decisions: Type.Integer({ description: "How many have" }),
    createdAt: Time,
    expiresAt: nullable(Time),
  },
  { title: "Approval" },
);
export type Approval = Static<typeof Approval>;

/** What somebody says. */
export interface ApprovalDecision {
  readonly approved: boolean;
  readonly comment?: string;
  readonly data?: unknown;
  readonly stepId?: string;
}

type In<C> = C & { readonly workspace: WorkspaceRef };

interface Row {
  readonly path: string;
  readonly approvers: readonly string[];
  readonly quorum: number;
  readonly decided_by: readonly string[];
}

const SETTLED = "delete from run_approvals where run_id = $1 and path = $2";
const HEARD = `
  update run_approvals set decided_by = decided_by || array[$3::text] where run_id = $1 and path = $2`;

/** Takes down one person's word on an approval. Who rejects decides; otherwise the quorum does. */
export async function decideApproval(
  ctx: In<WriteContext<typeof RunResumed>>,
  runId: string,
  word: ApprovalDecision,
): Promise<void> {
  const { tx, services, now, caller } = ctx;
  const run = await lock(tx, runId);
  const { path, approvers, quorum, decided_by } = chosen(await openOf(tx, runId, now), word.stepId);
  const userId = userIdOf(caller);
  const names = await namesOf(ctx);
  if (!approvers.some((name) => names.includes(name))) throw new Failure(NotAnApprover);
  if (decided_by.includes(userId)) throw new Failure(AlreadyDecided);
  const decision: Decision = {
    userId,
    name: nameOf(caller),
    approved: word.approved,
    ...(word.comment !== undefined && { comment: word.comment }),
    ...(word.data !== undefined && { data: word.data }),
    at: now.toISOString(),
  };
  if (!(await queueCommand(ctx, runId, [{ path, told: true, decision }]))) {
    throw new Failure(RunNotPaused);
  }
  if (!word.approved || decided_by.length + 1 >= quorum) void ctx.send(SETTLED, [runId, path]);
  else void ctx.send(HEARD, [runId, path, userId]);
  const version = await planOfVersion({ tx, services }, run.version_id);
  if (!version) throw new Error("A run that is not over keeps its version.");
  const facts = runContextOf(run, version);
  const summary = summaryOf(facts, { status: run.status }, now);
  ctx.emit(RunResumed, runRef(facts), { ...summary, stepId: path, approved: word.approved });
}

/** What waits for the caller, newest runs first. */
export async function listApprovals(
  ctx: In<ReadContext>,
  page: { readonly before: readonly [string, string] | undefined; readonly limit: number },
): Promise<Approval[]> {
  const names = await namesOf(ctx);
  const { before, limit } = page;
  const { rows } = await sql<Approval>`
    select a.run_id as "runId", a.path as "stepId", r.workflow_id as "workflowId",
           w.name as "workflowName", a.message, a.approvers, a.quorum,
           cardinality(a.decided_by) as decisions, a.created_at as "createdAt",
           a.expires_at as "expiresAt"
      from run_approvals a
      join runs r on r.id = a.run_id
      join workflows w on w.id = r.workflow_id
     where a.approvers && ${names}::text[] and not a.decided_by @> array[${userIdOf(ctx.caller)}]
       and (a.expires_at is null or a.expires_at > ${ctx.now})
       and ${before ? sql`(a.run_id, a.path) < (${before[0]}, ${before[1]})` : sql`true`}
     order by a.run_id desc, a.path desc limit ${limit}`.execute(ctx.tx);
  return rows;
}

/** The steps of a run that still wait for people; locked, so that they decide one after the other. */
async function openOf(tx: Tx, runId: string, now: Date): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select path, approvers, quorum, decided_by from run_approvals
     where run_id = ${runId} and (expires_at is null or expires_at > ${now})
     order by path for update`.execute(tx);
  return rows;
}

function chosen(open: readonly Row[], stepId: string | undefined): Row {
  const [first, second] = stepId ? open.filter(({ path }) => path === stepId) : open;
  if (!first) throw new Failure(RunNotPaused);
  if (second) {
    const paths = open.map(({ path }) => path).join(", ");
    throw invalidField("/stepId", `must say which of several steps: ${paths}`);
  }
  return first;
}

/** By what an approval can name the caller: as a user, by a role's id, or by its name. */
async function namesOf({ tx, caller, workspace }: In<ReadContext>): Promise<string[]> {
  const { roles } = requireMembership(caller, workspace.id);
  return [userIdOf(caller), ...roles, ...(await findRoleNames(tx, roles))];
}

function nameOf({ credential, actor }: Caller): string {
  return credential?.user.name ?? actor.name;
}
