import { type SelectQueryBuilder, type Selectable, sql } from "kysely";
import { findRoleNames } from "#domains/identity/roles/index.ts";
import { isInPerson, userIdOf } from "#kernel/access/caller.ts";
import { open } from "#kernel/access/crypto.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../../tables.ts";
import type { AgentCall, AgentCallSummary } from "./agent-call.ts";
import { type AgentPolicy, mayManage } from "./policy.ts";

export type CallRow = Selectable<Tables["agent_calls"]>;

/** The names by which the policy can refer to the caller, their identity, and whether they set the policy. */
export interface Reader {
  readonly userId: string;
  readonly names: readonly string[];
  readonly sees: "all" | "own";
  /** An agent sees its own calls, but not those of its member's other agents. */
  readonly credentialId: string | undefined;
  readonly policy: AgentPolicy;
  readonly isPerson: boolean;
}

export async function toReader(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  policy: AgentPolicy,
): Promise<Reader> {
  const roles = caller.principal?.roles ?? [];
  const isPerson = isInPerson(caller);
  return {
    userId: userIdOf(caller),
    names: [userIdOf(caller), ...roles, ...(await findRoleNames(tx, roles))],
    sees: isPerson && mayManage(caller) ? "all" : "own",
    credentialId: isPerson ? undefined : caller.credential?.id,
    policy,
    isPerson,
  };
}

/** Returns whether the policy names the caller as an approver. */
export function isApprover({ isPerson, names, policy }: Reader): boolean {
  return isPerson && policy.approvers.some((name) => names.includes(name));
}

/** Returns whether this person can decide on a call. */
export function mayDecide(reader: Reader, row: CallRow, now: Date): boolean {
  if (row.status !== "pending" || Date.parse(row.expires_at) <= now.getTime()) return false;
  return isApprover(reader) && !(reader.policy.fourEyes && row.user_id === reader.userId);
}

/** The calls visible to the caller: all, or those of their agents and those they can approve. */
export function visibleCalls(tx: Tx, reader: Reader) {
  const { userId, sees, credentialId } = reader;
  const all = tx.selectFrom("agent_calls").selectAll();
  if (sees === "all" || isApprover(reader)) return all;
  if (credentialId !== undefined) return all.where("credential_id", "=", credentialId);
  return all.where("user_id", "=", userId);
}

export async function getCall(
  query: SelectQueryBuilder<Tables, "agent_calls", CallRow>,
  id: string,
): Promise<CallRow> {
  const row = await query.where("id", "=", id).executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return row;
}

const COUNTED_MAX = 1_000;

/** The number of calls waiting for this person. */
export async function countWaitingCalls(
  { tx, now }: Pick<ReadContext, "tx" | "now">,
  reader: Reader,
): Promise<number> {
  if (!isApprover(reader)) return 0;
  const { policy, userId } = reader;
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from
      (select from agent_calls where status = 'pending' and expires_at > ${now}
          and (not ${policy.fourEyes} or user_id <> ${userId}) limit ${COUNTED_MAX}) as waiting`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

/** The fields of a call that all its readers may see, and that its events contain. */
export function toSummary(row: CallRow): AgentCallSummary {
  return {
    id: row.id,
    operation: row.operation,
    summary: row.summary,
    environment: row.target,
    status: row.status as AgentCallSummary["status"],
    agent: {
      id: row.credential_id,
      name: row.agent_name,
      person: { id: row.user_id, name: row.user_name },
    },
    decidedBy:
      row.decided_by === null ? null : { id: row.decided_by, name: row.decider_name ?? "" },
    decidedAt: row.decided_at,
    comment: row.comment,
    outcome:
      row.outcome_status === null ? null : { status: row.outcome_status, code: row.outcome_code },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    finishedAt: row.finished_at,
  };
}

/** Calls as their reader may see them. */
export async function toCalls(
  ctx: Pick<ReadContext, "tx" | "services" | "now" | "caller">,
  reader: Reader,
  rows: readonly CallRow[],
): Promise<AgentCall[]> {
  const ids = new Set(rows.flatMap((row) => workflowIdOf(row) ?? []));
  const found =
    ids.size === 0
      ? []
      : await ctx.tx
          .selectFrom("workflows")
          .select(["id", "name"])
          .where("id", "in", [...ids])
          .execute();
  const workflows = new Map(found.map((one) => [one.id, one]));
  return Promise.all(
    rows.map(async (row) => ({
      ...(await toCallWithoutNames(ctx, reader, row)),
      workflow: workflows.get(workflowIdOf(row) ?? "") ?? null,
    })),
  );
}

/** The workflow in the path of a call. */
function workflowIdOf({ operation, shown_input: input }: CallRow): string | undefined {
  const { id } = Object(input) as { readonly id?: unknown };
  return operation.startsWith("workflows.") && typeof id === "string" ? id : undefined;
}

/** A call as its reader may see it. */
export async function toCall(
  ctx: Pick<ReadContext, "tx" | "services" | "now" | "caller">,
  reader: Reader,
  row: CallRow,
): Promise<AgentCall> {
  const [call] = await toCalls(ctx, reader, [row]);
  if (!call) throw new Error("A call has no view.");
  return call;
}

async function toCallWithoutNames(
  { services, now, caller }: Pick<ReadContext, "services" | "now" | "caller">,
  reader: Reader,
  row: CallRow,
): Promise<Omit<AgentCall, "workflow">> {
  const isOwn =
    row.credential_id === reader.credentialId || (reader.isPerson && row.user_id === reader.userId);
  const key = caller.workspace && (await services.keys.of(caller.workspace.key));
  return {
    ...toSummary(row),
    mayDecide: mayDecide(reader, row, now),
    input: row.shown_input as AgentCall["input"],
    preview: row.preview as AgentCall["preview"],
    answer:
      isOwn && key && row.answer
        ? (JSON.parse(open(key, row.answer, answerContext(row.id)).toString()) as unknown)
        : null,
  };
}

/** A sealed value can't be moved to another call. */
export function answerContext(id: string): string {
  return `answer of ${id}`;
}

export function callContext(id: string): string {
  return `call of ${id}`;
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const RETENTION_DAYS = 90;

const PRUNE = `
  delete from agent_calls where id in
    (select id from agent_calls where created_at < $1 and status <> 'approved' order by created_at limit $2)`;

/** Deletes calls after three months; their effects stay in the log. */
export const callRetentionJob = retentionJob({
  kind: "mcp.prune_agent_calls",
  everyMs: HOUR_MS,
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, PRUNE, [new Date(clock.nowMs() - RETENTION_DAYS * DAY_MS), rowsMax]),
});
