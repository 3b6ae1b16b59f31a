/**
 * Performs an approved call with the agent's current permissions. The job may run twice: the id of the call is an
 * idempotency key, which commits with the changes of the operation, so that it takes effect once.
 */
import Type from "typebox";
import { findCredential } from "#kernel/access/authenticator.ts";
import type { Caller, Credential } from "#kernel/access/caller.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import type { JobAttempt, Platform } from "#kernel/contract.ts";
import { Failure, IdempotencyInProgress, Unauthenticated } from "#kernel/operation/failure.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { job } from "#kernel/work/job.ts";
import { findAgentOperation } from "../agent-operations.ts";
import { type AgentAnswer, invokeOperation } from "../invoke-operation.ts";
import { CallFailed, CallPerformed } from "./agent-call.ts";
import { answerContext, callContext, type CallRow, toSummary } from "./call-store.ts";
import type { SealedCall } from "./request-call.ts";

const ANSWER_CHARACTERS_MAX = 500_000;
const ATTEMPTS_MAX = 8;

export const performCallJob = job({
  kind: "mcp.perform_agent_call",
  payload: Type.Object({ callId: Type.String(), workspace: Type.String() }),
  emits: [CallPerformed, CallFailed],
  attemptsMax: ATTEMPTS_MAX,
  timeoutMs: 120_000,
  async effect(platform, { callId, workspace }, attempt) {
    const partition = { workspace, environment: "production" as const };
    const row = await platform.db.read(partition, (tx) =>
      tx
        .selectFrom("agent_calls")
        .selectAll()
        .where("id", "=", callId)
        .where("status", "=", "approved")
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const answer = await performCall(platform, { row, workspace }, attempt);
    const isPassing = answer.status >= 500 || codeOf(answer) === IdempotencyInProgress.code;
    if (isPassing && attempt.number < ATTEMPTS_MAX) throw new Error("The call could not be made.");
    return answer;
  },
  async run(ctx, { callId, workspace }, answer) {
    if (!answer) return;
    const text = JSON.stringify(answer.value) ?? "null";
    const kept =
      text.length > ANSWER_CHARACTERS_MAX ? '"The answer is too long to be kept."' : text;
    const key = await ctx.services.keys.of(workspace);
    const isDone = answer.status < 400;
    const row = await ctx.tx
      .updateTable("agent_calls")
      .set({
        status: isDone ? "performed" : "failed",
        outcome_status: answer.status,
        outcome_code: codeOf(answer),
        answer: seal(key, Buffer.from(kept), answerContext(callId)),
        finished_at: ctx.now,
      })
      .where("id", "=", callId)
      .where("status", "=", "approved")
      .returningAll()
      .executeTakeFirst();
    if (!row) return;
    ctx.setActor({ id: row.credential_id, name: row.agent_name, type: "api_token" });
    const resource = { id: callId, displayName: row.summary };
    if (isDone) ctx.emit(CallPerformed, resource, toSummary(row));
    else ctx.emit(CallFailed, resource, toSummary(row));
  },
});

/** The cause of a performed call, which links the agent's changes to the approver in the log. */
export interface ApprovalCause {
  readonly correlationId: string;
  /** The event of the approval. */
  readonly causationId: string;
  readonly depth: number;
  readonly origin: string;
}

function codeOf({ status, value }: AgentAnswer): string | null {
  const { code } = (value ?? {}) as { readonly code?: unknown };
  return status >= 400 && typeof code === "string" ? code : null;
}

async function performCall(
  platform: Platform,
  { row, workspace }: { readonly row: CallRow; readonly workspace: string },
  attempt: JobAttempt,
): Promise<AgentAnswer> {
  const credential = await findCredential(platform, {
    kind: row.credential_kind as Credential["kind"],
    id: row.credential_id,
  });
  const caller = credential && toCaller(credential, { row, workspace, attempt });
  const op = caller && findAgentOperation(platform, caller, row.operation);
  if (!caller || !op) {
    const { code, status } = new Failure(Unauthenticated).type;
    return { status, value: { code, title: "The agent may no longer do this." } };
  }
  const key = await platform.keys.of(workspace);
  const sealed = open(key, row.call, callContext(row.id)).toString();
  const call = JSON.parse(sealed) as SealedCall;
  return invokeOperation(platform, caller, op, {
    ...call,
    environment: row.target,
    isDryRun: false,
    idempotencyKey: row.id,
  });
}

/** The agent with its current permissions; undefined if it no longer has access to the workspace. */
function toCaller(
  credential: Credential,
  {
    row,
    workspace,
    attempt,
  }: { readonly row: CallRow; readonly workspace: string; readonly attempt: JobAttempt },
): Caller | undefined {
  const id = workspaceIdOf(workspace);
  const membership = [...credential.memberships.values()].find((one) => one.workspace.id === id);
  if (!membership || membership.blockedBy) return undefined;
  const { origin, ...cause } = row.cause as unknown as ApprovalCause;
  return {
    actor: credential.actor,
    credential,
    // A scope per call, not per credential, so that it cannot conflict with the agent's own keys.
    idempotencyScope: `agent call ${row.id}`,
    workspace: membership.workspace,
    environment: row.target,
    permissions: membership.permissions,
    isApproved: true,
    principal: { id: credential.user.id, roles: membership.roles },
    requestId: newId("req"),
    address: "",
    origin,
    cause: { ...cause, madeBy: { id: attempt.id, stepId: performCallJob.kind } },
  };
}
