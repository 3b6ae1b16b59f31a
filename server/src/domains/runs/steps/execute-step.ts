import { setTimeout as delay } from "node:timers/promises";
import type { PlanNode, StepError } from "#domains/workflows/index.ts";
import { membershipIn } from "#domains/identity/accounts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { isConnectionLoss, isTransient } from "#kernel/db/errors.ts";
import type { Evaluation } from "#kernel/expression/expression.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { perform } from "#kernel/operation/perform.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";
import {
  type Executor,
  executorsByType,
  type PerformInput,
  StepFailure,
  type StepResult,
} from "./executor.ts";
import { runActor, type RunContext } from "../engine/run-context.ts";
import type { SpeculativeSteps } from "./speculative-steps.ts";
import { prepareNode } from "./prepared-node.ts";
import type { StepLogLine } from "../engine/journal-record.ts";
import type { Scope } from "./scope.ts";
import { assertStorable, toStorableText } from "#kernel/schema/json-value.ts";
import { outputSizeError } from "./step-error.ts";

const TIMEOUT_MS = 30_000;
const LOG_LINES_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 2_000;
/** Beyond this, setTimeout fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** One attempt at one step. */
export interface StepAttempt {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly node: PlanNode;
  readonly path: string;
  readonly attempt: number;
  readonly scope: Scope;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** The same for every attempt at the same thing, and for nothing else in the run. */
  readonly occasion: string;
  /** Where it waits before it reaches outside, when the run may not be written yet. */
  readonly early: SpeculativeSteps | undefined;
}

export type StepAttemptResult = {
  readonly input?: unknown;
  readonly logs: readonly StepLogLine[];
} & ({ readonly result: StepResult } | { readonly error: StepError });

const found = new WeakMap<PlatformServices, ReadonlyMap<string, Executor>>();

/** The executors of all domains by node type. */
function executorOf(services: PlatformServices, type: string): Executor | undefined {
  let known = found.get(services);
  if (!known) {
    const all = contributionsTo(executorsByType, services.contributions);
    known = new Map(all.map((one) => [one.type.type, one]));
    found.set(services, known);
  }
  return known.get(type);
}

/**
 * Carries out a step. Secrets are put in at the last moment, and taken out again of everything that
 * comes back: what it was given, what it said, what it gave.
 */
export async function executeStep(attempt: StepAttempt): Promise<StepAttemptResult> {
  const { platform, run, node } = attempt;
  const logs: StepLogLine[] = [];
  let input: unknown;
  let calls = 0;
  let scrubber = new Scrubber([]);
  try {
    const prepared = prepareNode(node);
    const secrets = await secretsFor(attempt, prepared.secrets);
    if (secrets.scrubber) ({ scrubber } = secrets);
    const scope = attempt.scope.at(attempt.path, secrets.values);
    const values = await patiently(attempt, (evaluation) =>
      prepared.template.evaluate(scope, evaluation),
    );
    const expressions = Object.fromEntries(
      [...prepared.expressions].map(([name, { text }]) => [name, text]),
    );
    const checked = prepared.check({ ...expressions, ...prepared.literals, ...(values as object) });
    if ("fault" in checked) {
      throw new StepFailure("invalid_config", checked.fault, { retryable: false });
    }
    const { body: _, ...shown } = checked.config as Record<string, unknown>;
    input = scrubber.scrubJson(assertStorable(node.type.iterates ? shown : checked.config));
    const executor = executorOf(platform, node.type.executedAs ?? node.type.type);
    if (!executor) throw new StepFailure("unknown_type", `Nothing here can do ${node.type.type}.`);
    const evaluate = (name: string): Promise<unknown> =>
      patiently(attempt, (evaluation) =>
        prepared.expressions.get(name)?.evaluate(scope, evaluation),
      );
    const result = await within(attempt, (signal) =>
      executor.run(checked.config as never, {
        platform,
        run,
        path: attempt.path,
        nodeType: node.type.type,
        scope: () => attempt.scope.at(attempt.path),
        attempt: attempt.attempt,
        idempotencyKey: `${run.id}:${attempt.occasion.replaceAll(" ", ":")}`,
        signal,
        evaluate,
        log: (level, message, metadata) => {
          if (logs.length < LOG_LINES_MAX) {
            logs.push(scrubber.scrubJson(lineOf(platform, { level, message, metadata })));
          }
        },
        written: async () => attempt.early?.written(),
        perform: async (operation, given) => {
          calls += 1;
          const call = calls;
          await attempt.early?.written();
          return performAs(attempt, { operation, call }, given);
        },
      }),
    );
    return { input, logs, result: scrubber.scrubJson(bounded(result)) };
  } catch (error) {
    const { message, ...known } = errorOf(attempt, error);
    const words = toStorableText(scrubber.scrub(message), MESSAGE_CHARACTERS_MAX);
    return { input, logs, error: { ...known, message: words } };
  }
}

/**
 * The secrets that a step names. A test reaches nothing outside, so it needs none; and what stays
 * inside the platform would be kept and shown there.
 */
async function secretsFor(
  { platform, run, node }: StepAttempt,
  names: readonly string[],
): Promise<{ readonly values?: ReadonlyMap<string, string>; readonly scrubber?: Scrubber }> {
  if (names.length === 0 || node.type.inside) return {};
  if (run.test) return { values: new Map(names.map((name) => [name, `[secret ${name}]`])) };
  return platform.secrets.read(run.workspace, names);
}

const PATIENCE_MS = 30_000;
const NEXT_TRY_MS = 50;

/** That others are being evaluated is no fault of this one: it waits for its turn. */
async function patiently(
  { platform, run, signal }: StepAttempt,
  evaluate: (evaluation: Evaluation) => unknown,
): Promise<unknown> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const nowMs = platform.clock.nowMs();
    try {
      return await evaluate({ pool: platform.expressions, key: run.workspace, nowMs, signal });
    } catch (error) {
      const busy = error instanceof ExpressionError && error.code === "busy";
      if (!busy || signal.aborted || performance.now() > until) throw error;
      await delay(NEXT_TRY_MS * (1 + Math.random()));
    }
  }
}

/** What computes needs no limit beyond that of its expressions. */
async function within(
  { node, signal }: StepAttempt,
  work: (signal: AbortSignal) => Promise<StepResult> | StepResult,
): Promise<StepResult> {
  if (node.type.effect === "pure") return work(signal);
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(
    () => {
      limit.abort(new StepFailure("timeout", "The step took too long."));
    },
    Math.min(node.timeoutMs ?? TIMEOUT_MS, TIMER_MAX_MS),
  );
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

/** What is kept of a result: JSON that PostgreSQL takes, and not too much of it. */
function bounded(result: StepResult): StepResult {
  if ("wait" in result) return { wait: assertStorable(result.wait) };
  const value = "output" in result ? (result.output ?? null) : result.items;
  const fault = outputSizeError(value);
  if (fault) throw new StepFailure(fault.code, fault.message, { retryable: false });
  const kept = assertStorable(value);
  return "output" in result ? { ...result, output: kept } : { items: kept as readonly unknown[] };
}

function lineOf({ clock }: Platform, line: Omit<StepLogLine, "at">): StepLogLine {
  const { level, message, metadata } = line;
  const at = clock.now().toISOString();
  const kept =
    metadata === undefined || outputSizeError(metadata) ? undefined : assertStorable(metadata);
  const text = toStorableText(message, MESSAGE_CHARACTERS_MAX);
  return { at, level, message: text, ...(kept !== undefined && { metadata: kept }) };
}

/** Calls an operation as the workflow, with what the person who deployed it may do. */
async function performAs(
  { platform, run, path, occasion }: StepAttempt,
  { operation, call }: { readonly operation: string; readonly call: number },
  input: PerformInput,
): Promise<unknown> {
  const op = platform.operations.get(operation);
  if (!op) throw new StepFailure("unknown_operation", `There is no operation ${operation}.`);
  const caller: Caller = {
    actor: runActor(run),
    credential: undefined,
    idempotencyScope: run.id,
    workspace: { key: run.workspace, id: workspaceIdOf(run.workspace) },
    environment: run.environment,
    ...(await standingOf(platform, run)),
    requestId: newId("req"),
    address: "",
    origin: "",
    cause: run.cause,
  };
  const { status, body } = await perform(platform, op, {
    caller,
    input: { params: input.params, query: input.query, body: input.body },
    instance: `/runs/${run.id}/${path}`,
    // A path may be long, and a key may not.
    idempotencyKey: sha256(`${occasion} ${call}`).toString("base64url"),
  });
  const answer: unknown = body === undefined ? null : JSON.parse(body);
  if (status < 400) return answer;
  const { code, detail, title } = answer as Record<string, string>;
  throw new StepFailure(code ?? "refused", detail ?? title ?? "It was refused.", {
    retryable: status >= 500,
  });
}

/** What the person is and may do now, as far as the credential that deployed it could do it too. */
async function standingOf(
  platform: Platform,
  run: RunContext,
): Promise<Pick<Caller, "permissions" | "principal">> {
  const { roles, permissions: held } = await membershipIn(platform, run.workspace, run.runAs);
  const { permissions } = run;
  return {
    principal: { id: run.runAs, roles },
    permissions: permissions ? new Set(permissions.filter((name) => held.has(name))) : held,
  };
}

/**
 * What went wrong, in words that may be kept. Anything unforeseen is ours: it is logged whole, and the
 * step has failed. Only when the database is what failed is nothing held against the step.
 */
function errorOf({ platform, run, path, signal }: StepAttempt, error: unknown): StepError {
  if (error instanceof StepFailure) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (signal.aborted) return { code: "cancelled", message: "The run was ended.", retryable: false };
  if (error instanceof ExpressionError) {
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
  if (isConnectionLoss(error) || isTransient(error)) throw error;
  platform.log.error({ err: error, run: run.id, step: path }, "a step broke");
  return { code: "internal", message: "The step could not be carried out.", retryable: false };
}
