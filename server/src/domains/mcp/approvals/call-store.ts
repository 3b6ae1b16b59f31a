import { type SelectQueryBuilder, type Selectable, sql } from "kysely";
import {
  type ApprovalSubject,
  ApprovalsDecide,
  countAwaiting,
  findAwaiting,
  involvesSql,
  listAwaiting,
} from "#domains/approvals/index.ts";
import { type Caller, isInPerson, userIdOf } from "#kernel/access/caller.ts";
import { open } from "#kernel/access/crypto.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../../tables.ts";
import type { AgentCall, AgentCallSummary } from "./agent-call.ts";
import { mayManage } from "./policy.ts";

export type CallRow = Selectable<Tables["agent_calls"]>;

/** The caller as a reader of calls. */
export interface Reader {
  readonly userId: string;
  readonly sees: "all" | "own";
  /** An agent sees its own calls, but not those of its member's other agents. */
  readonly credentialId: string | undefined;
  readonly isPerson: boolean;
}

export function toReader(caller: Caller): Reader {
  const isPerson = isInPerson(caller);
  return {
    userId: userIdOf(caller),
    sees: isPerson && mayManage(caller) ? "all" : "own",
    credentialId: isPerson ? undefined : caller.credential?.id,
    isPerson,
  };
}

const INVOLVED = sql.raw<boolean>(involvesSql("agent_call", "me.person"));

/** The calls visible to the caller: all, or those of their agents and those they can approve. */
export function visibleCalls(tx: Tx, { userId, sees, credentialId }: Reader) {
  const all = tx.selectFrom("agent_calls").selectAll();
  if (sees === "all") return all;
  if (credentialId !== undefined) return all.where("credential_id", "=", credentialId);
  return all.where(
    sql<boolean>`(user_id = ${userId}
      or exists (select from (values (${userId}::text)) as me (person) where ${INVOLVED}))`,
  );
}

export async function getCall(
  query: SelectQueryBuilder<Tables, "agent_calls", CallRow>,
  id: string,
): Promise<CallRow> {
  const row = await query.where("id", "=", id).executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return row;
}

/** The number of calls waiting for this person. Only people decide, not their tokens. */
export async function countWaitingCalls(ctx: ReadContext): Promise<number> {
  return isInPerson(ctx.caller) ? countAwaiting(ctx, "agent_call") : 0;
}

/** The calls of agents in the inbox of their approvers, who decide in person. */
export const callSubject: ApprovalSubject = {
  kind: "agent_call",
  permission: ApprovalsDecide,
  async list(ctx, limit) {
    if (!isInPerson(ctx.caller)) return [];
    const waiting = { table: "agent_calls", kind: "agent_call", columns: "*" };
    const calls = await toCalls(ctx, await listAwaiting<CallRow>(ctx, waiting, limit));
    return calls.map(({ id, summary, workflow, agent, createdAt, expiresAt }) => ({
      id,
      number: null,
      title: workflow ? `${summary}: ${workflow.name}` : summary,
      about: `Agent ${agent.name} for ${agent.person.name}`,
      path: "/approvals?tab=agents",
      createdAt,
      expiresAt,
    }));
  },
};

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
  rows: readonly CallRow[],
): Promise<AgentCall[]> {
  const reader = toReader(ctx.caller);
  const waiting = await findAwaiting(ctx, {
    kind: "agent_call",
    ids: reader.isPerson ? rows.map(({ id }) => id) : [],
  });
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
      mayDecide: waiting.has(row.id),
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
  row: CallRow,
): Promise<AgentCall> {
  const [call] = await toCalls(ctx, [row]);
  if (!call) throw new Error("A call has no view.");
  return call;
}

async function toCallWithoutNames(
  { services, caller }: Pick<ReadContext, "services" | "caller">,
  reader: Reader,
  row: CallRow,
): Promise<Omit<AgentCall, "workflow" | "mayDecide">> {
  const isOwn =
    row.credential_id === reader.credentialId || (reader.isPerson && row.user_id === reader.userId);
  const key = caller.workspace && (await services.keys.of(caller.workspace.key));
  return {
    ...toSummary(row),
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
