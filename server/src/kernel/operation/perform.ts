import fastJsonStringify from "fast-json-stringify";
import type { Caller, Platform } from "../access/caller.ts";
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
import type { Operation } from "./operation.ts";
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
      serialise: op.reply.body ? fastJsonStringify(op.reply.body as object) : () => "",
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
    faults.push(...result.faults);
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
  const reply = op.reply as ResponseType;
  if (reply.shown) return { ...reply.shown(value), headers: reply.headers(value, settings) };
  const headers = reply.headers(value, settings);
  const { also } = reply;
  const status = also?.when(value) ? also.status : reply.status;
  if (reply.streamed) {
    return { status, headers, body: undefined, stream: reply.streamed(value) };
  }
  return {
    status,
    headers,
    body: reply.text?.(value) ?? (reply.body && shapesOf(op).serialise(reply.wrap(value))),
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
  outside: Platform,
  op: Operation,
  asked: Invocation,
): Promise<InvocationResult> {
  const call = placed(op, asked);
  authorise(op, call.caller);
  return trackUsedSecrets(() => (op.kind === "query" ? ask : change)(outside, op, call));
}

async function change(
  outside: Platform,
  op: Operation,
  call: Invocation,
): Promise<InvocationResult> {
  if (call.caller.cause.depth > CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  if (!op.follow) return commit(outside, op, call);
  let done: Done | undefined;
  const outcome = await commit(outside, op, call, (what) => (done = what));
  // Whoever asks again gets the answer that there was.
  if (!done) return outcome;
  const { input, value } = done;
  const followed = { value: value as never, caller: call.caller };
  const later = await op.follow(outside, input as never, followed);
  if (later === undefined) return outcome;
  const answer = toResponse(op, later, outside.settings);
  if (call.idempotencyKey !== undefined) await amendStoredResponse(outside, op, call, answer);
  return answer;
}

/** What an act returned, and of which input. */
interface Done {
  readonly input: RawInput;
  readonly value: unknown;
}

async function commit(
  outside: Platform,
  op: Operation,
  call: Invocation,
  tell?: (done: Done | undefined) => void,
): Promise<InvocationResult> {
  if (call.idempotencyKey === undefined || call.caller.idempotencyScope === undefined) {
    const input = validateInput(op, call.input);
    const prepared = await op.prepare?.(outside, input as never, call.caller);
    return outside.db.write(partitionOf(op.access, call.caller), (session) =>
      execute(outside, op, call, { session, input, prepared, tell }),
    );
  }
  return runOnce(outside, call, call.idempotencyKey, {
    operation: op.id,
    partition: partitionOf(op.access, call.caller),
    prepare: async () => {
      const input = validateInput(op, call.input);
      return { input, prepared: await op.prepare?.(outside, input as never, call.caller) };
    },
    run: (session, ready) => execute(outside, op, call, { session, ...ready, tell }),
    refuse: (failure) => renderFailure(op.reply, failure, placeOf(call)),
  });
}

/**
 * People, roles, secrets and other definitions belong to the workspace in all its environments. What
 * happens to them is logged in production, whatever the header says: nobody hides it in another log.
 */
function placed(op: Operation, call: Invocation): Invocation {
  if (op.access === "workspace" && op.environmental !== false) return call;
  return { ...call, caller: { ...call.caller, environment: "production" } };
}

async function ask(outside: Platform, op: Operation, call: Invocation): Promise<InvocationResult> {
  const input = validateInput(op, call.input);
  const { caller } = call;
  const prepared = await op.prepare?.(outside, input as never, caller);
  const value = await outside.db.read(partitionOf(op.access, caller), (tx) =>
    op.run(
      {
        tx,
        now: outside.clock.now(),
        caller,
        services: outside,
        workspace: caller.workspace,
      } as never,
      input as never,
      prepared as never,
    ),
  );
  return toResponse(op, value, outside.settings);
}

async function execute(
  outside: Platform,
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
  const act = new Act({ session: on.session, services: outside, caller, ifMatch });
  try {
    const value = await op.run(act.ctx, on.input as never, on.prepared as never);
    // A change without an event would be invisible to audit, webhooks and workflows alike.
    const silent = act.emitted.length === 0 && !op.mayChangeNothing;
    if (silent) throw new Error(`${op.id} changed state without an event.`);
    act.finish();
    if (value instanceof Failure) {
      return renderFailure(op.reply, value, placeOf(call));
    }
    on.tell?.({ input: on.input, value });
    return toResponse(op, value, outside.settings);
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
