import type { PlannedNode, StepError } from "#domains/workflows/index.ts";
import { permissionsIn } from "#domains/identity/accounts/index.ts";
import type { Caller, Outside, Services } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import { ExpressionFailure } from "#kernel/expression/failure.ts";
import { contributionsTo } from "#kernel/extension.ts";
import { Failure } from "#kernel/failure.ts";
import { newId, workspaceIdOf } from "#kernel/id.ts";
import { perform } from "#kernel/perform.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";
import {
  type Executor,
  executors,
  type PerformInput,
  StepFailure,
  type StepResult,
} from "./executor.ts";
import { actorOf, type RunFacts } from "./facts.ts";
import { prepareNode } from "./prepared-node.ts";
import type { LogLine } from "./record.ts";
import type { Scope } from "./scope.ts";

const TIMEOUT_MS = 30_000;
const LOG_LINES_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 2_000;
const OUTPUT_CHARACTERS_MAX = 1_048_576;

/** One attempt at one step. */
export interface Attempt {
  readonly outside: Outside;
  readonly run: RunFacts;
  readonly node: PlannedNode;
  readonly path: string;
  readonly attempt: number;
  readonly scope: Scope;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
}

export type Attempted = { readonly input?: unknown; readonly logs: readonly LogLine[] } & (
  | { readonly result: StepResult }
  | { readonly error: StepError }
);

const found = new WeakMap<Services, ReadonlyMap<string, Executor>>();

/** The executors of all domains by node type. */
function executorOf(services: Services, type: string): Executor | undefined {
  let known = found.get(services);
  if (!known) {
    const all = contributionsTo(executors, services.contributions);
    known = new Map(all.map((one) => [one.type.type, one]));
    found.set(services, known);
  }
  return known.get(type);
}

/**
 * Carries out a step. Secrets are put in at the last moment, and taken out again of everything that
 * comes back: what it was given, what it said, what it gave.
 */
export async function carryOut(attempt: Attempt): Promise<Attempted> {
  const { outside, run, node } = attempt;
  const logs: LogLine[] = [];
  let input: unknown;
  let calls = 0;
  let scrubber = new Scrubber([]);
  try {
    const prepared = prepareNode(node);
    const secrets = await (prepared.secrets.length > 0 &&
      outside.secrets.read(run.workspace, prepared.secrets));
    if (secrets) ({ scrubber } = secrets);
    const scope = attempt.scope.at(attempt.path, secrets ? secrets.values : undefined);
    const evaluation = evaluationOf(attempt);
    const evaluated = prepared.template.evaluate(scope, evaluation);
    const values = evaluated instanceof Promise ? await evaluated : evaluated;
    const expressions = Object.fromEntries(
      [...prepared.expressions].map(([name, { text }]) => [name, text]),
    );
    const checked = prepared.check({ ...expressions, ...prepared.literals, ...(values as object) });
    if ("fault" in checked) {
      throw new StepFailure("invalid_config", checked.fault, { retryable: false });
    }
    const { body: _, ...shown } = checked.config as Record<string, unknown>;
    input = scrubber.scrubJson(node.type.iterates ? shown : checked.config);
    const executor = executorOf(outside, node.type.type);
    if (!executor) throw new StepFailure("unknown_type", `Nothing here can do ${node.type.type}.`);
    const evaluate = async (name: string): Promise<unknown> =>
      prepared.expressions.get(name)?.evaluate(scope, evaluation);
    const result = await within(attempt, (signal) =>
      executor.run(checked.config as never, {
        outside,
        run,
        path: attempt.path,
        attempt: attempt.attempt,
        idempotencyKey: `${run.id}:${run.generation}:${attempt.path}`,
        signal,
        evaluate,
        log: (level, message, metadata) => {
          if (logs.length < LOG_LINES_MAX) {
            logs.push(scrubber.scrubJson(lineOf(outside, level, message, metadata)));
          }
        },
        perform: (operation, given) => {
          calls += 1;
          return performAs(attempt, { operation, call: calls }, given);
        },
      }),
    );
    return { input, logs, result: bounded(scrubber.scrubJson(result)) };
  } catch (error) {
    const { message, ...known } = errorOf(error, attempt.signal);
    const words = scrubber.scrub(message).slice(0, MESSAGE_CHARACTERS_MAX);
    return { input, logs, error: { ...known, message: words } };
  }
}

function evaluationOf({ outside, run, signal }: Attempt) {
  return { pool: outside.expressions, key: run.workspace, nowMs: outside.clock.nowMs(), signal };
}

/** What computes needs no limit beyond that of its expressions. */
async function within(
  { node, signal }: Attempt,
  work: (signal: AbortSignal) => Promise<StepResult> | StepResult,
): Promise<StepResult> {
  if (node.type.effect === "pure") return work(signal);
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(() => {
    limit.abort(new StepFailure("timeout", "The step took too long."));
  }, node.timeoutMs ?? TIMEOUT_MS);
  try {
    const cut = new Promise<never>((_, reject) => {
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason as Error), {
        once: true,
      });
    });
    return await Promise.race([work(limit.signal), cut]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function bounded(result: StepResult): StepResult {
  const value = "output" in result ? result.output : "items" in result ? result.items : undefined;
  const text = value === undefined ? undefined : JSON.stringify(value);
  if (text !== undefined && text.length > OUTPUT_CHARACTERS_MAX) {
    throw new StepFailure("output_too_large", "The output is larger than 1 MiB.", {
      retryable: false,
    });
  }
  // JSON has no undefined, and no functions.
  if (!("output" in result)) return result;
  return { ...result, output: text === undefined ? null : result.output };
}

function lineOf(
  { clock }: Outside,
  level: LogLine["level"],
  message: string,
  metadata: unknown,
): LogLine {
  const text = message.slice(0, MESSAGE_CHARACTERS_MAX);
  const at = clock.now().toISOString();
  return { at, level, message: text, ...(metadata !== undefined && { metadata }) };
}

/** Calls an operation as the workflow, with what the person who deployed it may do. */
async function performAs(
  { outside, run, path }: Attempt,
  { operation, call }: { readonly operation: string; readonly call: number },
  input: PerformInput,
): Promise<unknown> {
  const op = outside.operations.get(operation);
  if (!op) throw new StepFailure("unknown_operation", `There is no operation ${operation}.`);
  const caller: Caller = {
    actor: actorOf(run),
    credential: undefined,
    idempotencyScope: run.id,
    workspace: { key: run.workspace, id: workspaceIdOf(run.workspace) },
    environment: run.environment,
    permissions: await permissionsIn(outside, run.workspace, run.runAs),
    requestId: newId("req"),
    address: "",
    origin: "",
    cause: run.cause,
  };
  const { status, body } = await perform(outside, op, {
    caller,
    input: { params: input.params, query: input.query, body: input.body },
    instance: `/runs/${run.id}/${path}`,
    // A path may be long, and a key may not.
    idempotencyKey: sha256(`${run.generation} ${path} ${call}`).toString("base64url"),
  });
  const answer: unknown = body === undefined ? null : JSON.parse(body);
  if (status < 400) return answer;
  const { code, detail, title } = answer as Record<string, string>;
  throw new StepFailure(code ?? "refused", detail ?? title ?? "It was refused.", {
    retryable: status >= 500,
  });
}

/** What went wrong, in words that may be kept. Anything unforeseen is ours, and logged whole. */
function errorOf(error: unknown, signal: AbortSignal): StepError {
  if (error instanceof StepFailure) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (signal.aborted) return { code: "cancelled", message: "The run was ended.", retryable: false };
  if (error instanceof ExpressionFailure) {
    const passing = error.code === "busy" || error.code === "timeout";
    return { code: `expression_${error.code}`, message: error.message, retryable: passing };
  }
  if (error instanceof OutboundRefused) {
    return { code: "outbound_refused", message: error.message, retryable: false };
  }
  if (error instanceof OutboundFailed) return { code: "network", message: error.message };
  if (error instanceof Failure) {
    const { code, status } = error.type;
    return { code, message: error.message, retryable: status >= 500 };
  }
  throw error;
}
