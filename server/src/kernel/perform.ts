import fastJsonStringify from "fast-json-stringify";
import { Act } from "./act.ts";
import type { Caller, Outside } from "./caller.ts";
import { codeOf, NO_WORKSPACE, type Partition, type Transaction } from "./db/database.ts";
import { DEPTH_MAX } from "./event.ts";
import { Failure, failure, Forbidden, Invalid, type FailureType, type Fault } from "./failure.ts";
import { once } from "./idempotency.ts";
import type { Operation } from "./operation.ts";
import { problemOf } from "./problem.ts";
import { Shape } from "./shape.ts";

export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Call {
  readonly caller: Caller;
  readonly input: RawInput;
  /** The path that was called, for problem documents. */
  readonly instance: string;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** What the caller gets: the reply in its envelope, filtered by its schema. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export const ChainTooDeep = failure(
  "chain_too_deep",
  409,
  `A chain of automations ends after ${DEPTH_MAX} links.`,
);

const UNIQUE_VIOLATION = "23505";

/** The one path by which anything happens: permission, input, transaction, handler, event, commit. */
export async function perform(outside: Outside, op: Operation, call: Call): Promise<Outcome> {
  authorise(op, call.caller);
  if (op.kind === "query") return ask(outside, op, call);
  if (call.caller.cause.depth > DEPTH_MAX) throw new Failure(ChainTooDeep);
  if (call.idempotencyKey === undefined || call.caller.credential === undefined) {
    const input = validate(op, call.input);
    const prepared = await op.prepare?.(outside, input as never, call.caller);
    return outside.db.write(partitionOf(call.caller), (session) =>
      execute(outside, op, call, { session, input, prepared }),
    );
  }
  return once(outside, call, call.idempotencyKey, {
    prepare: async () => {
      const input = validate(op, call.input);
      return { input, prepared: await op.prepare?.(outside, input as never, call.caller) };
    },
    run: (session, ready) => execute(outside, op, call, { session, ...ready }),
  });
}

/** The rows that a caller may see. */
export function partitionOf({ workspace, environment, credential }: Caller): Partition {
  return {
    workspace: workspace?.key ?? NO_WORKSPACE,
    environment,
    ...(workspace === undefined && credential !== undefined && { user: credential.user.id }),
  };
}

async function ask(outside: Outside, op: Operation, call: Call): Promise<Outcome> {
  const input = validate(op, call.input);
  const { caller } = call;
  const value = await outside.db.read(partitionOf(caller), (tx) =>
    op.run(
      { tx, now: outside.clock.now(), caller, services: outside, workspace: caller.workspace } as never,
      input as never,
      undefined as never,
    ),
  );
  return outcomeOf(op, value);
}

async function execute(
  outside: Outside,
  op: Operation,
  call: Call,
  on: { session: Transaction; input: RawInput; prepared: unknown },
): Promise<Outcome> {
  const { caller, ifMatch } = call;
  const partition = partitionOf(caller);
  const act = new Act({ session: on.session, services: outside, caller, partition, ifMatch });
  try {
    const value = await op.run(act.ctx, on.input as never, on.prepared as never);
    // A change without an event would be invisible to audit, webhooks and workflows alike.
    if (act.emitted.length === 0) throw new Error(`${op.id} changed state without an event.`);
    act.finish();
    if (value instanceof Failure) {
      return problemOf(value, { instance: call.instance, requestId: caller.requestId });
    }
    return outcomeOf(op, value);
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

interface Shapes {
  readonly params: Shape | undefined;
  readonly query: Shape | undefined;
  readonly body: Shape | undefined;
  readonly serialise: (value: unknown) => string;
}
const compiled = new WeakMap<Operation, Shapes>();

function shapesOf(op: Operation): Shapes {
  let shapes = compiled.get(op);
  if (!shapes) {
    shapes = {
      params: op.params && new Shape(op.params, "params"),
      query: op.query && new Shape(op.query, "query"),
      body: op.body && new Shape(op.body, "body"),
      serialise: op.reply.body ? fastJsonStringify(op.reply.body as object) : () => "",
    };
    compiled.set(op, shapes);
  }
  return shapes;
}

function validate(op: Operation, input: RawInput): RawInput {
  const shapes = shapesOf(op);
  const faults: Fault[] = [];
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
function surplus(part: keyof RawInput, value: unknown, faults: Fault[]): unknown {
  if (part === "params" || value === undefined || value === null) return value;
  const names = typeof value === "object" ? Object.keys(value) : [""];
  const mark = part === "query" ? "?" : "/";
  faults.push(...names.map((name) => ({ path: mark + name, message: "is not a known field" })));
  return value;
}

function outcomeOf(op: Operation, value: unknown): Outcome {
  const reply = op.reply as { wrap(value: unknown): unknown; headers(value: unknown): Outcome["headers"] };
  return {
    status: op.reply.status,
    headers: reply.headers(value),
    body: op.reply.body && shapesOf(op).serialise(reply.wrap(value)),
  };
}

/** A broken unique constraint is a failure that some operation declared. */
function violated(fails: readonly FailureType[] | undefined, error: unknown): Failure | undefined {
  if (codeOf(error) !== UNIQUE_VIOLATION) return undefined;
  const { constraint } = error as { constraint?: string };
  const type = fails?.find((candidate) => candidate.constraint === constraint);
  return constraint !== undefined && type ? new Failure(type) : undefined;
}
