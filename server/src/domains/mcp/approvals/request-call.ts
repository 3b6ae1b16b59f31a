/** Requests approval for a call of an agent: it runs as a dry run, and is encrypted and stored until a decision. */
import { openApproval } from "#domains/approvals/index.ts";
import type { Caller, WorkspaceRef } from "#kernel/access/caller.ts";
import { hmac, seal } from "#kernel/access/crypto.ts";
import type { Operation, Platform, WriteContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { supportsDryRun } from "#kernel/operation/dry-run.ts";
import { isDrastic } from "#kernel/access/drastic-call.ts";
import { Failure, failure, type FieldError, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { effectiveEnvironment, findAgentOperation } from "../agent-operations.ts";
import { invokeOperation, toRawInput } from "../invoke-operation.ts";
import { type CallParts, splitInput } from "../tool-input.ts";
import {
  type AgentCall,
  CallRequested,
  CallTooLarge,
  NoApprovalNeeded,
  NotAnAgent,
  TooManyCalls,
} from "./agent-call.ts";
import { planCall, subjectOf } from "./approval-plan.ts";
import { callContext, type CallRow, toSummary } from "./call-store.ts";
import { callUpkeep } from "./call-upkeep.ts";
import { maskInput, maskSecrets } from "./masked-input.ts";
import { demandsApproval, readPolicy } from "./policy.ts";

const INPUT_BYTES_MAX = 256 * 1024;
const PREVIEW_CHARACTERS_MAX = 200_000;
const PENDING_MAX = 50;
/** The limit per hour, including cancelled requests, because each notifies people. */
const REQUESTED_MAX = 200;
const HOUR_MS = 3_600_000;

type Members = Readonly<Record<string, unknown>>;

/** An encrypted call, which cannot be changed between request and decision. */
export interface SealedCall extends CallParts {
  readonly ifMatch?: string | undefined;
}

export interface CallInput {
  readonly operation: string;
  readonly input?: Members;
  readonly environment?: EnvironmentName;
  readonly ifMatch?: string;
}

export interface TriedCall {
  readonly op: Operation;
  readonly target: EnvironmentName;
  readonly call: SealedCall;
  readonly masked: Members;
  readonly preview: AgentCall["preview"];
  readonly isDrastic: boolean;
}

/** Runs a call as a dry run, with the rights of the agent. Throws if the operation would reject it. */
export async function tryCall(
  platform: Platform,
  { operation, input = {}, environment, ifMatch }: CallInput,
  caller: Caller,
): Promise<TriedCall> {
  const kind = caller.credential?.kind;
  if (kind !== "api_token" && kind !== "oauth") throw new Failure(NotAnAgent);
  const op = findAgentOperation(platform, caller, operation);
  if (!op || op.kind === "query") {
    throw invalidField("/operation", "is not a command that this agent can call");
  }
  const text = JSON.stringify(input);
  if (Buffer.byteLength(text) > INPUT_BYTES_MAX) throw new Failure(CallTooLarge);
  const target = effectiveEnvironment(op, environment ?? caller.environment);
  const call = { ...splitInput(op, input), ifMatch };
  const dry = await invokeOperation(platform, caller, op, {
    ...call,
    query: supportsDryRun(op) ? call.query : { ...call.query, dryRun: true },
    environment: target,
    isDryRun: true,
  });
  if (dry.status >= 400) throw toFailure(dry.status, dry.value);
  const masked = maskInput(op, input) as Members;
  const drastic = await isDrastic(platform, op, {
    caller: { ...caller, environment: target },
    input: toRawInput(op, call),
  });
  return { op, target, call, masked, preview: toPreview(op, dry.value), isDrastic: drastic };
}

interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

function toFailure(status: number, problem: unknown): Failure {
  const {
    code = "refused",
    title = "The call was rejected.",
    detail = title,
    errors,
  } = (problem ?? {}) as ProblemBody;
  return new Failure(failure(code, status, title), { detail, ...(errors && { errors }) });
}

/** The events and changes of a dry run, truncated if they are long. */
function toPreview(op: Operation, value: unknown): AgentCall["preview"] {
  const empty = { events: [], eventCount: 0, changes: [] };
  if (!supportsDryRun(op)) return { ...empty, leftOut: "This operation has a separate preview." };
  const { data } = value as { readonly data: AgentCall["preview"] };
  const { events, eventCount, changes, leftOut } = maskSecrets(data) as typeof data;
  const whole = { events, eventCount, changes, leftOut };
  if (JSON.stringify(whole).length <= PREVIEW_CHARACTERS_MAX) return whole;
  return { ...empty, eventCount, leftOut: "The result is too large to show." };
}

/** Stores a validated call; returns the existing one if it is already pending. */
export async function requestCall(
  ctx: WriteContext<typeof CallRequested> & { readonly workspace: WorkspaceRef },
  { op, target, call, masked, preview, isDrastic: drastic }: TriedCall,
): Promise<CallRow> {
  const { tx, now, caller, services, workspace } = ctx;
  const policy = await readPolicy(tx);
  if (!(await demandsApproval(policy, op, async () => drastic)))
    throw new Failure(NoApprovalNeeded);
  const { credential } = caller;
  if (!credential) throw new Failure(NotAnAgent);
  const text = JSON.stringify(call);
  const key = await services.keys.of(workspace.key);
  const hash = hmac(key, JSON.stringify([op.id, target, text]));
  const waiting = await tx
    .selectFrom("agent_calls")
    .selectAll()
    .where("credential_id", "=", credential.id)
    .where("status", "=", "pending")
    .limit(PENDING_MAX)
    .execute();
  const same = waiting.find(({ call_hash }) => call_hash.equals(hash));
  if (same) return same;
  if (waiting.length >= PENDING_MAX) throw new Failure(TooManyCalls);
  const { requested } = await tx
    .selectFrom("agent_calls")
    .select((row) => row.fn.countAll<number>().as("requested"))
    .where("credential_id", "=", credential.id)
    .where("created_at", ">", new Date(now.getTime() - HOUR_MS).toISOString())
    .executeTakeFirstOrThrow();
  if (Number(requested) >= REQUESTED_MAX) {
    throw new Failure(TooManyCalls, {
      detail: `An agent can request at most ${REQUESTED_MAX} approvals per hour.`,
    });
  }
  const id = newId("agc", now.getTime());
  const expiresAt = new Date(now.getTime() + policy.expiresInHours * HOUR_MS);
  const inserted = await tx
    .insertInto("agent_calls")
    .values({
      id,
      operation: op.id,
      summary: op.summary,
      target,
      call: seal(key, Buffer.from(text), callContext(id)),
      call_hash: hash,
      shown_input: JSON.stringify(masked),
      preview: JSON.stringify(preview),
      credential_kind: credential.kind,
      credential_id: credential.id,
      agent_name: caller.actor.name,
      user_id: credential.user.id,
      user_name: credential.user.name,
      status: "pending",
      expires_at: expiresAt,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  // Two requests of one call met.
  if (!inserted) throw new Failure(TooManyCalls, { detail: "The same call was just requested." });
  ctx.emit(CallRequested, { id, displayName: op.summary }, toSummary(inserted));
  const plan = await planCall(tx, policy, credential.user.id);
  const { expiresInHours: expiresAfterHours } = policy;
  const approval = await openApproval(ctx, subjectOf(id), { ...plan, expiresAfterHours });
  callUpkeep.schedule(ctx, approval, now);
  return inserted;
}
