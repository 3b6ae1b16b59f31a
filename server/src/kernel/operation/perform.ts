import fastJsonStringify from "fast-json-stringify";
import type { Caller } from "../access/caller.ts";
import type { Platform, Operation } from "../contract.ts";
import type { Transaction } from "../db/database.ts";
import { sqlStateOf } from "../db/errors.ts";
import { CAUSATION_DEPTH_MAX } from "../log/event.ts";
import { Validator } from "../schema/validator.ts";
import { trackUsedSecrets } from "../secrets/used-secrets.ts";
import type { Settings } from "../settings.ts";
import { Act } from "./act.ts";
import {
  Failure,
  failure,
  type FailureType,
  type FieldError,
  Forbidden,
  Invalid,
} from "./failure.ts";
import { amendStoredResponse, runOnce } from "./idempotency.ts";
import {
  type Invocation,
  type InvocationResult,
  partitionOf,
  type RawInput,
} from "./invocation.ts";
import { type ProblemContext, renderFailure } from "./problem.ts";
import type { ResponseType } from "./response.ts";

interface Shapes {
  readonly params: Validator | undefined;
  readonly query: Validator | undefined;
  readonly body: Validator | undefined;
  readonly serialise: (value: unknown) => string;
}
const compiled = new WeakMap<Operation, Shapes>();

function shapesOf(op: Operation): Shapes {
  let shapes = compiled.get(op);
  if (!shapes) {
    shapes = {
      params: op.params && new Validator(op.params, "params"),
      query: op.query && new Validator(op.query, "query"),
      body: op.body && new Validator(op.body, "body"),
      serialise: op.response.body ? fastJsonStringify(op.response.body as object) : () => "",
    };
    compiled.set(op, shapes);
  }
  return shapes;
}

/** The input with its defaults, or a failure that lists every fault of it. */
function validateInput(op: Operation, input: RawInput): RawInput {
  const shapes = shapesOf(op);
  const faults: FieldError[] = [];
  const check = (part: keyof RawInput): unknown => {
    const shape = shapes[part];
    if (!shape) return surplus(part, input[part], faults);
    const absent = part === "body" && op.bodyOptional && input.body === undefined;
    const result = shape.check(absent ? {} : input[part]);
    if ("value" in result) return result.value;
    faults.push(...result.errors);
    return undefined;
  };
  const checked = { params: check("params"), query: check("query"), body: check("body") };
  if (faults.length > 0) {
    const [first] = faults;
    throw new Failure(Invalid, {
      detail: `${first?.path} ${first?.message}`,
      errors: faults,
    });
  }
  return checked;
}

/** A part that the operation does not take must be empty. */
function surplus(part: keyof RawInput, value: unknown, faults: FieldError[]): unknown {
  if (part === "params" || value === undefined || value === null) return value;
  const names = typeof value === "object" ? Object.keys(value) : [""];
  const mark = part === "query" ? "?" : "/";
  faults.push(...names.map((name) => ({ path: mark + name, message: "is not a known field" })));
  return value;
}

/** What a handler returned, in its envelope and filtered by its schema. */
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
    body: response.text?.(value) ?? (response.body && shapesOf(op).serialise(response.wrap(value))),
  };
}

export const ChainTooDeep = failure(
  "chain_too_deep",
  409,
  `A chain of automations ends after ${CAUSATION_DEPTH_MAX} links.`,
);

const UNIQUE_VIOLATION = "23505";

/** The one path by which anything happens: permission, input, transaction, handler, event, commit. */
export async function perform(
  platform: Platform,
  op: Operation,
  asked: Invocation,
): Promise<InvocationResult> {
  const call = placed(op, asked);
  authorise(op, call.caller);
  return trackUsedSecrets(() => (op.kind === "query" ? ask : change)(platform, op, call));
}

async function change(
  platform: Platform,
  op: Operation,
  call: Invocation,
): Promise<InvocationResult> {
  if (call.caller.cause.depth > CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  if (!op.afterCommit) return commit(platform, op, call);
  let done: Done | undefined;
  const outcome = await commit(platform, op, call, (what) => (done = what));
  // Whoever asks again gets the answer that there was.
  if (!done) return outcome;
  const { input, value } = done;
  const followed = { value: value as never, caller: call.caller };
  const later = await op.afterCommit(platform, input as never, followed);
  if (later === undefined) return outcome;
  const answer = toResponse(op, later, platform.settings);
  if (call.idempotencyKey !== undefined) await amendStoredResponse(platform, op, call, answer);
  return answer;
}

/** What an act returned, and of which input. */
interface Done {
  readonly input: RawInput;
  readonly value: unknown;
}

async function commit(
  platform: Platform,
  op: Operation,
  call: Invocation,
  tell?: (done: Done | undefined) => void,
): Promise<InvocationResult> {
  if (call.idempotencyKey === undefined || call.caller.idempotencyScope === undefined) {
    const input = validateInput(op, call.input);
    const prepared = await op.prepare?.(platform, input as never, call.caller);
    return platform.db.write(partitionOf(op.access, call.caller), (session) =>
      execute(platform, op, call, { session, input, prepared, tell }),
    );
  }
  return runOnce(platform, call, call.idempotencyKey, {
    operation: op.id,
    partition: partitionOf(op.access, call.caller),
    prepare: async () => {
      const input = validateInput(op, call.input);
      return { input, prepared: await op.prepare?.(platform, input as never, call.caller) };
    },
    run: (session, ready) => execute(platform, op, call, { session, ...ready, tell }),
    refuse: (failure) => renderFailure(op.response, failure, placeOf(call)),
  });
}

/**
 * People, roles, secrets and other definitions belong to the workspace in all its environments. What
 * happens to them is logged in production, whatever the header says: nobody hides it in another log.
 */
function placed(op: Operation, call: Invocation): Invocation {
  if (op.access === "workspace" && op.environmentScoped !== false) return call;
  return { ...call, caller: { ...call.caller, environment: "production" } };
}

async function ask(platform: Platform, op: Operation, call: Invocation): Promise<InvocationResult> {
  const input = validateInput(op, call.input);
  const { caller } = call;
  const prepared = await op.prepare?.(platform, input as never, caller);
  const value = await platform.db.read(partitionOf(op.access, caller), (tx) =>
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
  return toResponse(op, value, platform.settings);
}

async function execute(
  platform: Platform,
  op: Operation,
  call: Invocation,
  on: {
    readonly session: Transaction;
    readonly input: RawInput;
    readonly prepared: unknown;
    readonly tell: ((done: Done | undefined) => void) | undefined;
  },
): Promise<InvocationResult> {
  const { caller, ifMatch } = call;
  // An attempt before this one may have been undone.
  on.tell?.(undefined);
  const act = new Act({ session: on.session, services: platform, caller, ifMatch });
  try {
    const value = await op.run(act.ctx, on.input as never, on.prepared as never);
    // A change without an event would be invisible to audit, webhooks and workflows alike.
    const silent = act.emitted.length === 0 && !op.allowNoop;
    if (silent) throw new Error(`${op.id} changed state without an event.`);
    act.finish();
    if (value instanceof Failure) {
      return renderFailure(op.response, value, placeOf(call));
    }
    on.tell?.({ input: on.input, value });
    return toResponse(op, value, platform.settings);
  } catch (error) {
    throw violated(op.fails, error) ?? error;
  }
}

/** Throws unless the caller holds what the operation needs. */
export function authorise(op: Operation, { permissions, credential }: Caller): void {
  if (op.permission === undefined) return;
  const { name } = op.permission;
  const held =
    op.access === "account"
      ? [...(credential?.memberships.values() ?? [])].some((member) => member.permissions.has(name))
      : permissions.has(name);
  if (!held) throw new Failure(Forbidden, { detail: `This needs the permission ${name}.` });
}

function placeOf({ instance, caller }: Invocation): ProblemContext {
  return { instance, requestId: caller.requestId };
}

/** A broken unique constraint is a failure that some operation declared. */
function violated(fails: readonly FailureType[] | undefined, error: unknown): Failure | undefined {
  if (sqlStateOf(error) !== UNIQUE_VIOLATION) return undefined;
  const { constraint } = error as { constraint?: string };
  const type = fails?.find((candidate) => candidate.constraint === constraint);
  return constraint !== undefined && type ? new Failure(type) : undefined;
}
