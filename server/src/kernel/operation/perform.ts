import { assertCredentialValid } from "../access/authenticator.ts";
import { findGate } from "../access/call-gate.ts";
import { assertOperator, assertOwnerInPerson, type Caller } from "../access/caller.ts";
import { holdsPermission, type Permission } from "../access/permission.ts";
import type { Platform, Operation } from "../contract.ts";
import type { Transaction } from "../db/database.ts";
import { sqlStateOf } from "../db/errors.ts";
import { CAUSATION_DEPTH_MAX } from "../log/event.ts";
import { Validator } from "../schema/validator.ts";
import { trackUsedSecrets } from "../secrets/used-secrets.ts";
import type { Settings } from "../settings.ts";
import { type SpanDescription, traceWork } from "../telemetry/span.ts";
import { isUndoable } from "../undo/inverse.ts";
import { FairShare } from "../work/fair-share.ts";
import { runForWorkspace, TurnTimer } from "../work/turn-timer.ts";
import { Act } from "./act.ts";
import {
  assertNoErrors,
  Failure,
  failure,
  type FailureType,
  type FieldError,
  NotFound,
  permissionFailure,
} from "./failure.ts";
import { describeLeftOut, describeOutcome, reasonToLeaveOut, supportsDryRun } from "./dry-run.ts";
import { amendStoredResponse, runOnce } from "./idempotency.ts";
import {
  type Invocation,
  type InvocationResult,
  invocationPartition,
  type RawInput,
} from "./invocation.ts";
import { type ProblemContext, renderFailure } from "./problem.ts";
import type { ResponseType } from "./response.ts";
import { compileSerialiser } from "../schema/serialise.ts";

interface CompiledOperation {
  readonly params: Validator | undefined;
  readonly query: Validator | undefined;
  readonly body: Validator | undefined;
  readonly serialise: (value: unknown) => string;
}
const compiledOperations = new WeakMap<Operation, CompiledOperation>();

/** The validators and the serialiser of an operation, compiled at its first call. */
function compiledOf(op: Operation): CompiledOperation {
  let compiled = compiledOperations.get(op);
  if (!compiled) {
    compiled = {
      params: op.params && new Validator(op.params, "params"),
      query: op.query && new Validator(op.query, "query"),
      body: op.body && new Validator(op.body, "body"),
      serialise: op.response.body ? compileSerialiser(op.response.body) : () => "",
    };
    compiledOperations.set(op, compiled);
  }
  return compiled;
}

/** The input with its defaults, or a failure that lists all its errors. */
export function validateInput(op: Operation, input: RawInput): RawInput {
  const compiled = compiledOf(op);
  const errors: FieldError[] = [];
  const check = (part: keyof RawInput): unknown => {
    const validator = compiled[part];
    if (!validator) return rejectUndeclared(part, input[part], errors);
    const absent = part === "body" && input.body === undefined;
    if (absent && !op.bodyOptional) {
      errors.push({ path: "", message: "is required" });
      return undefined;
    }
    const result = validator.check(absent ? {} : input[part]);
    if ("value" in result) return result.value;
    errors.push(...result.errors);
    return undefined;
  };
  const params = check("params");
  // An id of a wrong form is one that nothing has.
  if (errors.length > 0) throw new Failure(NotFound, { errors });
  const checked = { params, query: check("query"), body: check("body") };
  assertNoErrors(errors);
  return checked;
}

/** A part that the operation does not take must be empty. */
function rejectUndeclared(part: keyof RawInput, value: unknown, errors: FieldError[]): unknown {
  if (part === "params" || value === undefined || value === null) return value;
  const names = typeof value === "object" ? Object.keys(value) : [""];
  const mark = part === "query" ? "?" : "/";
  errors.push(...names.map((name) => ({ path: mark + name, message: "is not a known field" })));
  return value;
}

/** The response for a handler's value, in its envelope and filtered by its schema. */
function toResponse(op: Operation, value: unknown, settings: Settings): InvocationResult {
  const response = op.response as ResponseType;
  if (response.raw) return { ...response.raw(value), headers: response.headers(value, settings) };
  const headers = response.headers(value, settings);
  const { alternative } = response;
  const status = alternative?.when(value) ? alternative.status : response.status;
  if (response.stream) {
    return { status, headers, body: undefined, stream: response.stream(value) };
  }
  return {
    status,
    headers,
    body:
      response.text?.(value) ?? (response.body && compiledOf(op).serialise(response.wrap(value))),
  };
}

export const ChainTooDeep = failure(
  "chain_too_deep",
  409,
  `A chain of automations ends after ${CAUSATION_DEPTH_MAX} links.`,
);

const UNIQUE_VIOLATION = "23505";

/** The one path of every call: permission, input, transaction, handler, event, commit. */
export async function perform(
  platform: Platform,
  op: Operation,
  invocation: Invocation,
): Promise<InvocationResult> {
  const call = withEnvironment(op, invocation);
  authorise(op, call.caller);
  return traceWork(
    () => describeCall(op, call),
    () =>
      trackUsedSecrets(() =>
        runForWorkspace(call.caller.workspace?.key, () =>
          op.oneAtATime
            ? runOneAtATime(platform, op, call, () => performKind(platform, op, call))
            : performKind(platform, op, call),
        ),
      ),
  );
}

function performKind(
  platform: Platform,
  op: Operation,
  call: Invocation,
): Promise<InvocationResult> {
  return (op.kind === "query" ? performQuery : performCommand)(platform, op, call);
}

/** The queues of each process, by operation. */
const shares = new WeakMap<Platform["db"], Map<Operation, FairShare>>();
/** Of one operation, over all workspaces. */
const AT_ONCE_MAX = 4;

/** Runs a call when no other of its workspace runs; rejects as unavailable when too many wait. */
function runOneAtATime<T>(
  { db }: Platform,
  op: Operation,
  { caller }: Invocation,
  call: () => Promise<T>,
): Promise<T> {
  const byOperation = shares.get(db) ?? new Map<Operation, FairShare>();
  shares.set(db, byOperation);
  const share = byOperation.get(op) ?? new FairShare(AT_ONCE_MAX, 1);
  byOperation.set(op, share);
  return share.run(caller.workspace?.key ?? "", async () => {
    // Otherwise calls that wait for nothing would come one after the other in the same turn.
    await new TurnTimer().next();
    return call();
  });
}

function describeCall({ id, kind }: Operation, { caller }: Invocation): SpanDescription {
  return {
    name: id,
    kind: "internal",
    attributes: {
      "millrace.operation": id,
      "millrace.operation.kind": kind,
      "millrace.environment": caller.environment,
      ...(caller.workspace && { "millrace.workspace": caller.workspace.id }),
    },
    correlationId: caller.cause.correlationId,
  };
}

async function performCommand(
  platform: Platform,
  op: Operation,
  call: Invocation,
): Promise<InvocationResult> {
  if (call.caller.cause.depth > CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  const gate = call.isDryRun ? undefined : findGate(platform, op, call.caller);
  if (gate) await gate.assertOpen(platform, op, call);
  if (call.isDryRun && supportsDryRun(op)) return performDryRun(platform, op, call);
  if (!op.afterCommit) return commit(platform, op, call);
  let committed: Committed | undefined;
  const response = await commit(platform, op, call, (result) => (committed = result));
  // A repetition by idempotency key gets the stored response.
  if (!committed) return response;
  const { input, value } = committed;
  const result = { value: value as never, caller: call.caller };
  const finalValue = await op.afterCommit(platform, input as never, result);
  if (finalValue === undefined) return response;
  const finalResponse = toResponse(op, finalValue, platform.settings);
  if (call.idempotencyKey !== undefined) {
    await amendStoredResponse(platform, op, call, finalResponse);
  }
  return finalResponse;
}

/** Performs a command and takes all of it back; what would wait for its commit does not happen. */
async function performDryRun(
  platform: Platform,
  op: Operation,
  { caller, ...call }: Invocation,
): Promise<InvocationResult> {
  const input = validateInput(op, call.input);
  const reason = reasonToLeaveOut(op);
  if (reason !== undefined) return describeLeftOut(reason);
  const dry = { ...call, caller: { ...caller, isDryRun: true as const } };
  const prepared = await op.prepare?.(platform, input as never, dry.caller);
  const partition = invocationPartition(op.access, caller);
  return platform.db.writeAndRollBack(partition, async (session) => {
    let act: Act | undefined;
    const onFinish = (finished: Act) => (act = finished);
    const on = { session, input, prepared, onResult: undefined, onFinish };
    const outcome = await execute(platform, op, dry, on);
    if (!act) throw new Error(`${op.id} ended without its act.`);
    try {
      return await describeOutcome(outcome, { session, ctx: act.ctx, partition });
    } catch (error) {
      throw toConstraintFailure(op.fails, error) ?? error;
    }
  });
}

/** The value of a committed handler, and its input. */
interface Committed {
  readonly input: RawInput;
  readonly value: unknown;
}

async function commit(
  platform: Platform,
  op: Operation,
  call: Invocation,
  onResult?: (result: Committed | undefined) => void,
): Promise<InvocationResult> {
  if (call.idempotencyKey === undefined || call.caller.idempotencyScope === undefined) {
    const input = validateInput(op, call.input);
    const prepared = await op.prepare?.(platform, input as never, call.caller);
    const partition =
      op.partitionOf?.(prepared as never) ?? invocationPartition(op.access, call.caller);
    return platform.db.write(partition, (session) =>
      execute(platform, op, call, { session, input, prepared, onResult }),
    );
  }
  return runOnce(platform, call, call.idempotencyKey, {
    operation: op.id,
    partition: invocationPartition(op.access, call.caller),
    looksBefore: op.prepare !== undefined && !call.isFirst,
    prepare: async () => {
      const input = validateInput(op, call.input);
      return { input, prepared: await op.prepare?.(platform, input as never, call.caller) };
    },
    run: (session, ready) => execute(platform, op, call, { session, ...ready, onResult }),
    renderFailure: (failure) => renderFailure(op.response, failure, problemContext(call)),
  });
}

/**
 * People, roles, secrets and other definitions belong to the workspace in all its environments. Their events
 * go to production, whatever the header says: nobody hides them in another log.
 */
function withEnvironment(op: Operation, call: Invocation): Invocation {
  if (op.access === "workspace" && op.environmentScoped !== false) return call;
  const { caller } = call;
  const requestedEnvironment = caller.requestedEnvironment ?? caller.environment;
  return { ...call, caller: { ...caller, environment: "production", requestedEnvironment } };
}

async function performQuery(
  platform: Platform,
  op: Operation,
  call: Invocation,
): Promise<InvocationResult> {
  const input = validateInput(op, call.input);
  const { caller } = call;
  const prepared = await op.prepare?.(platform, input as never, caller);
  const value = await platform.db.read(invocationPartition(op.access, caller), (tx) =>
    op.run(
      {
        tx,
        now: platform.clock.now(),
        caller,
        services: platform,
        workspace: caller.workspace,
      } as never,
      input as never,
      prepared as never,
    ),
  );
  const { textInTurns, status, headers } = op.response as ResponseType;
  if (!textInTurns) return toResponse(op, value, platform.settings);
  const body = await textInTurns(value);
  return { status, headers: headers(value, platform.settings), body };
}

async function execute(
  platform: Platform,
  op: Operation,
  call: Invocation,
  on: {
    readonly session: Transaction;
    readonly input: RawInput;
    readonly prepared: unknown;
    readonly onResult: ((result: Committed | undefined) => void) | undefined;
    readonly onFinish?: (act: Act) => void;
  },
): Promise<InvocationResult> {
  const { caller, ifMatch } = call;
  // An attempt before this one may have been rolled back.
  on.onResult?.(undefined);
  const act = new Act({ session: on.session, services: platform, caller, ifMatch });
  try {
    if (op.issuesCredential) {
      await assertCredentialValid(platform, act.ctx.tx, caller.credential);
    }
    const value = await op.run(act.ctx, on.input as never, on.prepared as never);
    // A change without an event would be invisible to audit, webhooks and workflows alike.
    const silent = act.emitted.length === 0 && !op.allowNoop && !op.ephemeral;
    if (silent) throw new Error(`${op.id} changed state without an event.`);
    act.finish();
    on.onFinish?.(act);
    if (value instanceof Failure) {
      return renderFailure(op.response, value, problemContext(call));
    }
    on.onResult?.({ input: on.input, value });
    const response = toResponse(op, value, platform.settings);
    // A person who did it gets the way back offered. Programs ask for it when they want it.
    const isOffered = caller.credential?.kind === "session" && isUndoable(platform, act.emitted);
    return isOffered
      ? { ...response, headers: { ...response.headers, "x-undoable": "true" } }
      : response;
  } catch (error) {
    throw toConstraintFailure(op.fails, error) ?? error;
  }
}

/** Throws unless the caller holds the operation's permission, and is who it is reserved for. */
export function authorise(op: Operation, caller: Caller): void {
  if (op.operatorsOnly) assertOperator(caller);
  if (op.permission === undefined) return;
  const { name } = op.permission;
  if (op.access === "account") return authoriseAccount(name, caller);
  const isOwnToken = op.allowOwnToken === true && caller.credential?.kind === "api_token";
  const permission = op.kind === "command" ? withoutReaders(op.permission) : op.permission;
  if (!isOwnToken && !holdsPermission(caller.permissions, permission)) {
    throw permissionFailure(name);
  }
  if (op.ownersInPerson) assertOwnerInPerson(caller);
}

/** A permission as commands ask for it: a wider one that only reads is not wide enough to write. */
function withoutReaders(permission: Permission): Permission {
  const { impliedBy } = permission;
  if (!impliedBy) return permission;
  return { ...permission, impliedBy: impliedBy.filter((name) => !name.endsWith(":read")) };
}

/** The permission of an account's operation is held in any workspace that is not blocked. */
function authoriseAccount(name: string, { credential }: Caller): void {
  const memberships = [...(credential?.memberships.values() ?? [])];
  const holding = memberships.filter(({ permissions }) => permissions.has(name));
  const [first] = holding;
  if (!first) throw permissionFailure(name);
  if (first.blockedBy && holding.every(({ blockedBy }) => blockedBy)) {
    throw new Failure(first.blockedBy);
  }
}

function problemContext({ instance, caller }: Invocation): ProblemContext {
  return { instance, requestId: caller.requestId };
}

/** The declared failure of a violated unique constraint. */
function toConstraintFailure(
  fails: readonly FailureType[] | undefined,
  error: unknown,
): Failure | undefined {
  if (sqlStateOf(error) !== UNIQUE_VIOLATION) return undefined;
  const { constraint } = error as { constraint?: string };
  const type = fails?.find((candidate) => candidate.constraint === constraint);
  return constraint !== undefined && type ? new Failure(type) : undefined;
}
