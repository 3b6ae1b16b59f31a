import type { Rights } from "#domains/identity/accounts/index.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { PlanNode, StepError } from "#domains/workflows/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { ExpressionError, type ExpressionPlace } from "#kernel/expression/expression-failure.ts";
import type { EvaluationContext } from "#kernel/expression/expression.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { isLargerThan, toStorableJson, toStorableText } from "#kernel/schema/json-value.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";
import type { StepLogLine } from "../engine/journal-record.ts";
import { causeOfStep, type RunContext } from "../engine/run-context.ts";
import { type Executor, ExecutorPoint, type StepResult, type StepTools } from "./executor.ts";
import type { MockedStep } from "./mocked-steps.ts";
import { findNamedFiles } from "./named-files.ts";
import { type PreparedNode, prepareNode } from "./prepared-node.ts";
import type { Scope } from "./scope.ts";
import type { SpeculativeSteps } from "./speculative-steps.ts";
import { hostOf } from "../host/step-host.ts";
import { outputSizeError, StepFailure, toStepError } from "./step-error.ts";
import { type SpanDescription, traceWork } from "#kernel/telemetry/span.ts";

const STEP_TIMEOUT_DEFAULT_MS = 30_000;
const LOG_LINES_MAX = 200;
/** Limit of the input of a step; allows several outputs of other steps. */
const INPUT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Limit of notes about expressions without a value. */
const NOTES_MAX = 20;
const MESSAGE_CHARACTERS_MAX = 2_000;
/** setTimeout fires at once for larger values. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export interface StepAttempt {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly node: PlanNode;
  readonly path: string;
  readonly attempt: number;
  /** True if no part of the step can have been executed before. */
  readonly isFirst?: boolean;
  readonly scope: Scope;
  /** Aborted when the run must stop. */
  readonly signal: AbortSignal;
  /** Identifies the step: equal for all its attempts, and different for each retry of the run. */
  readonly stepKey: string;
  /** Set if the run may not be written yet. The step then waits before effects outside. */
  readonly speculative: SpeculativeSteps | undefined;
  /** In a test run: the mock that replaces the step. */
  readonly mock?: MockedStep | undefined;
}

export type StepAttemptResult = {
  readonly input?: unknown;
  readonly logs: readonly StepLogLine[];
  readonly childRunId?: string;
} & ({ readonly result: StepResult } | { readonly error: StepError });

const executorMaps = new WeakMap<PlatformServices, ReadonlyMap<string, Executor>>();

/** Finds the executor contributed for a node type. */
function findExecutor(services: PlatformServices, type: string): Executor | undefined {
  let executors = executorMaps.get(services);
  if (!executors) {
    const all = contributionsTo(ExecutorPoint, services.contributions);
    executors = new Map(all.map((executor) => [executor.type.type, executor]));
    executorMaps.set(services, executors);
  }
  return executors.get(type);
}

/**
 * Executes a step. Secrets are inserted last, and removed from everything that is stored: the input, the log, the
 * result and the error.
 */
export function executeStep(attempt: StepAttempt): Promise<StepAttemptResult> {
  return traceWork(
    () => describeAttempt(attempt),
    () => executeAttempt(attempt),
    (outcome) => ({ error: "error" in outcome ? outcome.error.code : undefined }),
  );
}

function describeAttempt({ run, node, path, attempt }: StepAttempt): SpanDescription {
  return {
    name: `step ${node.type.type}`,
    kind: "internal",
    attributes: {
      "millrace.run": run.id,
      "millrace.step": path,
      "millrace.step.type": node.type.type,
      "millrace.attempt": attempt,
    },
    correlationId: run.cause.correlationId,
  };
}

async function executeAttempt(attempt: StepAttempt): Promise<StepAttemptResult> {
  const { platform, run, node } = attempt;
  const host = hostOf(platform);
  const logs: StepLogLine[] = [];
  let input: unknown;
  let childRunId: string | undefined;
  const common = () => ({ input, logs, ...(childRunId !== undefined && { childRunId }) });
  let scrubber = new Scrubber([]);
  let knownRights: Promise<Rights> | undefined;
  const rights = (): Promise<Rights> => (knownRights ??= host.rights(platform, run));
  try {
    const prepared = prepareNode(node);
    // A run has no more effects outside after its user left.
    if (node.type.effect !== "pure" && !run.test) await rights();
    const secrets = await readSecrets(attempt, prepared.secrets, rights);
    if (secrets.scrubber) ({ scrubber } = secrets);
    const visible = await readExtras(attempt, prepared, rights);
    const scope = attempt.scope.at(attempt.path, { ...visible, secrets: secrets.values });
    const values = await evaluateTemplate(attempt, prepared, { scope, logs });
    const expressions = Object.fromEntries(
      [...prepared.expressions].map(([name, { text }]) => [name, text]),
    );
    const checked = prepared.check({
      ...expressions,
      ...prepared.literals,
      ...prepared.toLists(values as Record<string, unknown>),
    });
    if ("error" in checked) {
      throw new StepFailure("invalid_config", checked.error, { retryable: false });
    }
    const { body: _, ...ownConfig } = checked.config as Record<string, unknown>;
    input = scrubber.scrubJson(toStorableJson(node.type.iterates ? ownConfig : checked.config));
    if (attempt.mock) return mockedResult(attempt.mock, input, logs);
    const executor = findExecutor(platform, node.type.executedAs ?? node.type.type);
    if (!executor)
      throw new StepFailure("unknown_type", `The node type ${node.type.type} can't be run here.`);
    const naming = { ...attempt, namedFiles: findNamedFiles(node.config, checked.config) };
    const result = await runWithTimeout(attempt, (signal) =>
      executor.run(checked.config as never, {
        platform,
        run,
        path: attempt.path,
        cause: causeOfStep(run, attempt.path),
        nodeType: node.type.type,
        scope: () => attempt.scope.at(attempt.path, visible),
        agent: () => attempt.scope.agentAt(attempt.path),
        attempt: attempt.attempt,
        idempotencyKey: `${run.id}:${attempt.stepKey.replaceAll(" ", ":")}`,
        signal,
        evaluate: fieldEvaluator(attempt, prepared, scope),
        log: stepLogger(platform, logs, (line) => scrubber.scrubJson(line)),
        beginText: () => host.beginText(attempt, { hasSecrets: secrets.scrubber !== undefined }),
        noteChildRun: (runId) => {
          childRunId = runId;
        },
        untilRunWritten: async () => attempt.speculative?.untilWritten(),
        rights,
        perform: operationPerformer(naming, rights),
        files: host.files(naming, rights),
      }),
    );
    return { ...common(), result: scrubber.scrubJson(toStorableResult(result)) };
  } catch (error) {
    const { message, ...rest } =
      toStepError(error, attempt.signal.aborted) ?? logBug(attempt, error);
    if (attempt.mock?.isGiven) return mockedResult(attempt.mock, input, logs);
    const text = toStorableText(scrubber.scrub(message), MESSAGE_CHARACTERS_MAX);
    const particulars = scrubber.scrubJson(toStorableJson(rest));
    return { ...common(), error: { ...particulars, message: text } };
  }
}

/** Adds lines to a log up to its limit, without secrets. */
function stepLogger(
  platform: Platform,
  logs: StepLogLine[],
  scrub: (line: StepLogLine) => StepLogLine,
): StepTools["log"] {
  return (level, message, metadata) => {
    if (logs.length < LOG_LINES_MAX) {
      logs.push(scrub(toLogLine(platform, { level, message, metadata })));
    }
  };
}

/** Performs operations for a step, by default with the rights of its run. */
function operationPerformer(
  attempt: StepAttempt & { readonly namedFiles: ReadonlySet<string> },
  rights: () => Promise<Rights>,
): StepTools["perform"] {
  let callCount = 0;
  return async (operation, request, within) => {
    callCount += 1;
    const call = callCount;
    await attempt.speculative?.untilWritten();
    const performer = { ...attempt, rights: within ?? (await rights()) };
    return hostOf(attempt.platform).perform(performer, { operation, call }, request);
  };
}

/** Returns the mocked outcome in a test run, including the step input. */
function mockedResult(
  { outcome, log }: MockedStep,
  input: unknown,
  logs: readonly StepLogLine[],
): StepAttemptResult {
  return { input, logs: [...logs, log], ...outcome };
}

/**
 * Reads the secrets named by a step. Test runs have no effects outside, so they get placeholders. Steps inside the
 * platform get none, because their input is stored and shown.
 */
async function readSecrets(
  { platform, run, node }: StepAttempt,
  names: readonly string[],
  rights: () => Promise<Rights>,
): Promise<{ readonly values?: ReadonlyMap<string, string>; readonly scrubber?: Scrubber }> {
  if (names.length === 0 || node.type.inside) return {};
  if (run.test) return { values: new Map(names.map((name) => [name, `[secret ${name}]`])) };
  return platform.secrets.read(run, names, rights);
}

/** Reads what only some steps need: the workspace, and the named variables. A rehearsal uses the recorded values. */
async function readExtras(
  { platform, run }: StepAttempt,
  { readsWorkspace, variables: names }: PreparedNode,
  rights: () => Promise<Rights>,
) {
  const { recorded } = run.test ?? {};
  const host = hostOf(platform);
  const workspace = readsWorkspace
    ? (recorded?.workspace ?? (await host.workspace(platform, run)))
    : undefined;
  if (names.length === 0) return { workspace };
  const known = recorded?.variables ?? {};
  const others = names.filter((name) => !Object.hasOwn(known, name));
  if (others.length === 0) return { workspace, variables: known };
  const read = await host.variables(platform, run, others, rights);
  return { workspace, variables: { ...read, ...known } };
}

/** Evaluates the templates of a configuration. Adds a note for each expression without a value. */
async function evaluateTemplate(
  attempt: StepAttempt,
  { template, lists }: PreparedNode,
  { scope, logs }: { readonly scope: unknown; readonly logs: StepLogLine[] },
): Promise<unknown> {
  const onMissing = ({ path, text }: ExpressionPlace): void => {
    // An empty list expression has no value by design.
    if (lists.includes(path) || logs.length >= NOTES_MAX) return;
    const message = `${path}: ${text.trim()} has no value.`;
    logs.push(toLogLine(attempt.platform, { level: "info", message }));
  };
  const values = await evaluateWhenFree(attempt, (evaluation) => {
    logs.length = 0;
    return template.evaluate(scope, { ...evaluation, onMissing });
  });
  if (!isLargerThan(values, INPUT_CHARACTERS_MAX)) return values;
  const message = "The input of the step is larger than 16 MiB.";
  throw new StepFailure("input_too_large", message, { retryable: false });
}

/** Evaluates expression fields. Errors name the field. */
function fieldEvaluator(
  attempt: StepAttempt,
  { expressions }: PreparedNode,
  scope: unknown,
): StepTools["evaluate"] {
  return async (name, more) => {
    const expression = expressions.get(name);
    const visible = more ? { ...Object(scope), ...more } : scope;
    try {
      return await evaluateWhenFree(attempt, (evaluation) =>
        expression?.evaluate(visible, evaluation),
      );
    } catch (error) {
      if (!expression || !(error instanceof ExpressionError)) throw error;
      throw error.at({ path: `/${name}`, text: expression.text, offset: 0 });
    }
  };
}

const BUSY_WAIT_MAX_MS = 30_000;
const BUSY_RETRY_MS = 50;

/** Evaluates when the pool has capacity. A busy pool must not fail the step. */
async function evaluateWhenFree(
  { platform, run, signal }: StepAttempt,
  evaluate: (evaluation: EvaluationContext) => unknown,
): Promise<unknown> {
  const until = performance.now() + BUSY_WAIT_MAX_MS;
  for (;;) {
    const nowMs = platform.clock.nowMs();
    try {
      return await evaluate({ pool: platform.expressions, key: run.workspace, nowMs, signal });
    } catch (error) {
      const isBusy = error instanceof ExpressionError && error.code === "busy";
      if (!isBusy || signal.aborted || performance.now() > until) throw error;
      await delay(BUSY_RETRY_MS * (1 + Math.random()));
    }
  }
}

/** Runs an executor within the timeout of the node. Pure steps only have the timeout of their expressions. */
async function runWithTimeout(
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
      limit.abort(new StepFailure("timeout", "The step exceeded its time limit."));
    },
    Math.min(node.timeoutMs ?? node.type.timeoutMs ?? STEP_TIMEOUT_DEFAULT_MS, TIMER_MAX_MS),
  );
  try {
    const timedOut = new Promise<never>((_, reject) => {
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason as Error), {
        once: true,
      });
    });
    return await Promise.race([work(limit.signal), timedOut]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The result as JSON that PostgreSQL accepts. Throws if it is too large. */
function toStorableResult(result: StepResult): StepResult {
  if ("wait" in result) return { wait: toStorableJson(result.wait) };
  if ("turns" in result) return result;
  const value = "output" in result ? (result.output ?? null) : result.items;
  const error = outputSizeError(value);
  if (error) throw new StepFailure(error.code, error.message, { retryable: false });
  const stored = toStorableJson(value);
  return "output" in result
    ? { ...result, output: stored }
    : { items: stored as readonly unknown[] };
}

function toLogLine({ clock }: Platform, line: Omit<StepLogLine, "at">): StepLogLine {
  const { level, message, metadata } = line;
  const at = clock.now().toISOString();
  const stored =
    metadata === undefined || outputSizeError(metadata) ? undefined : toStorableJson(metadata);
  const text = toStorableText(message, MESSAGE_CHARACTERS_MAX);
  return { at, level, message: text, ...(stored !== undefined && { metadata: stored }) };
}

/** Logs an unexpected error. The step gets a generic message without its text. */
function logBug({ platform, run, path }: StepAttempt, error: unknown): StepError {
  platform.log.error(
    { err: error, run: run.id, step: path },
    "a step failed because of an internal error",
  );
  return {
    code: "internal",
    message: "The step failed because of an internal error.",
    retryable: false,
  };
}
