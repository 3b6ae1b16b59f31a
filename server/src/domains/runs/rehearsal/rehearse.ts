/**
 * Rehearsal: recorded runs are executed in memory with another definition. Steps with effects outside return their
 * recorded outcomes. Nothing is written and nothing outside is called. Runs are rehearsed one at a time to limit the
 * load on the process.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  canSeeTrace,
  compilePlan,
  type Definition,
  nodeTypesOf,
  planOfVersion,
  type PlannedVersion,
} from "#domains/workflows/index.ts";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Execution } from "../engine/execution.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
import { toRunError } from "../engine/checkpoint.ts";
import type { RecordedFacts, RunContext } from "../engine/run-context.ts";
import { compareRuns } from "./compare-run.ts";
import { RecordedClock, RecordedSteps } from "./recorded-steps.ts";
import { type KeptRun, listKeptRuns, readKeptRuns, type RunChoice } from "./store.ts";
import { countVerdicts, type RehearsedRun, type Rehearsal } from "./verdict.ts";

const BATCH_RUNS = 20;
/** The size limit for a run, and for runs read together. */
const RUN_BYTES_MAX = 4_000_000;
const STEPS_MAX = 100_000;
const DURATION_MAX_MS = 20_000;

/** The definition to rehearse, and the runs to do it with. */
export interface RehearsalRequest {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly runs: RunChoice;
}

/** Rehearses a definition with runs of the caller's environment. */
export async function rehearse(
  platform: Platform,
  caller: Caller,
  { workflowId, definition, runs: choice }: RehearsalRequest,
): Promise<Rehearsal> {
  if (!caller.workspace) throw new Error("Runs belong to a workspace.");
  const partition = { workspace: caller.workspace.key, environment: caller.environment };
  const stage = openStage(platform, caller, definition);
  const all = await platform.db.read(partition, (tx) => listKeptRuns(tx, workflowId, choice));
  const visible = all.filter(({ runAs }) => canSeeTrace(caller, runAs));
  const small = visible.filter(({ bytes }) => bytes <= RUN_BYTES_MAX);
  const rehearsed: RehearsedRun[] = [];
  const { until } = stage;
  let steps = 0;
  const isOver = (): boolean => steps >= STEPS_MAX || performance.now() > until;
  for (const ids of toBatches(small)) {
    if (isOver()) break;
    const kept = await platform.db.read(partition, (tx) => readKeptRuns(tx, ids));
    for (const run of kept) {
      const before = await planOfVersion(platform, run.versionId);
      const result = await rehearseRun(stage, run, before);
      if (!result) break;
      rehearsed.push(result.run);
      steps += result.steps;
      if (isOver()) break;
      await yieldToEventLoop();
    }
  }
  return {
    counts: countVerdicts(rehearsed.map(({ verdict }) => verdict)),
    rehearsed: rehearsed.length,
    hidden: all.length - visible.length,
    leftOut: visible.length - rehearsed.length,
    runs: rehearsed,
  };
}

/** Groups runs to be read together, limited by number and by the size limit of one run. */
function* toBatches(
  all: readonly { readonly id: string; readonly bytes: number }[],
): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const run of all) {
    if (batch.length === BATCH_RUNS || (batch.length > 0 && bytes + run.bytes > RUN_BYTES_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(run.id);
    bytes += run.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Shared by all runs of a rehearsal. */
export interface Stage {
  readonly stage: Platform;
  readonly clock: RecordedClock;
  readonly plan: PlannedVersion["plan"];
  readonly partition: Pick<RunContext, "workspace" | "environment">;
  /** The caller of the rehearsal. The definition belongs to the caller, so it reads with the caller's rights. */
  readonly authority: Pick<RunContext, "runAs" | "permissions">;
  /** The deadline by `performance.now`. */
  readonly until: number;
}

/** Prepares a validated definition. The time limit starts here. */
export function openStage(platform: Platform, caller: Caller, definition: Definition): Stage {
  const { runAs, permissions } = authorityOf(caller);
  const authority = { runAs, permissions: permissions ?? undefined };
  const clock = new RecordedClock();
  const { maxConcurrency: _, concurrencyKey: __, timeoutMs: ___, ...whole } = definition;
  const plan = compilePlan(whole, nodeTypesOf(platform));
  const until = performance.now() + DURATION_MAX_MS;
  const partition = partitionOfCaller(caller);
  return { stage: { ...platform, clock }, clock, plan, partition, authority, until };
}

interface RehearsedSteps {
  readonly run: RehearsedRun;
  readonly steps: number;
  readonly output: unknown;
  /** The executed steps by path. */
  readonly taken: ReadonlyMap<string, JournalRecord>;
}

/** Facts of a run that was recorded on another installation. */
export interface RecordedElsewhere {
  readonly recorded?: RecordedFacts;
  /** How values of the rehearsed run are compared. */
  readonly toShown?: <T>(value: T) => T;
}

/** Undefined for a run that exceeds the time limit, because computing steps can take seconds. */
export async function rehearseRun(
  { stage, clock, plan, partition, authority, until }: Stage,
  kept: KeptRun,
  version: Pick<PlannedVersion, "plan" | "number"> | undefined,
  { recorded: facts, toShown = (value) => value }: RecordedElsewhere = {},
): Promise<RehearsedSteps | undefined> {
  const steps = foldJournal(kept.lines);
  const createdAtMs = Date.parse(kept.createdAt);
  clock.atMs = createdAtMs;
  const stop = (): void => execution.abort();
  const recorded = new RecordedSteps({ steps, plan: version?.plan, createdAtMs }, clock, stop);
  const context = { ...toContext(kept, partition, facts), ...authority };
  const execution: Execution = new Execution(stage, context, plan, {
    lines: [],
    entries: 0,
    recorded,
  });
  const limit = setTimeout(stop, Math.max(until - performance.now(), 0));
  const result = await execution.settle().finally(() => clearTimeout(limit));
  if (performance.now() > until) return undefined;
  // No branch won the race; a step without a recorded outcome would have to.
  if (!result) recorded.missing ??= recorded.held;
  const status = result?.status === "failed" ? "failed" : "completed";
  const failure = result?.status === "failed" ? toRunError(execution, result.path) : undefined;
  const isMissing = recorded.missing !== undefined;
  const { verdict, difference } = compareRuns(
    { ...kept, steps, plan: version?.plan },
    {
      status: isMissing ? undefined : status,
      output: toShown(execution.output),
      error: failure,
      steps: facts ? showSteps(execution.steps, toShown) : execution.steps,
      plan,
    },
    recorded.missing,
  );
  return {
    run: {
      runId: kept.id,
      version: version?.number ?? null,
      createdAt: kept.createdAt,
      status: kept.status,
      verdict,
      statusAfter: verdict === "same" ? kept.status : isMissing ? null : status,
      difference,
    },
    steps: execution.steps.size,
    output: isMissing ? null : toShown(execution.output ?? null),
    taken: execution.steps,
  };
}

function showSteps(
  steps: ReadonlyMap<string, JournalRecord>,
  toShown: <T>(value: T) => T,
): ReadonlyMap<string, JournalRecord> {
  return new Map([...steps].map(([path, step]) => [path, toShown(step)]));
}

function toContext(
  kept: KeptRun,
  partition: Stage["partition"],
  recorded: RecordedFacts | undefined,
): RunContext {
  const { lines: _, status: __, output: ___, error: ____, ...facts } = kept;
  return {
    ...partition,
    ...facts,
    // Nothing outside is called.
    test: { mocks: {}, ...(recorded && { recorded }) },
    workflowName: "",
    shard: 0,
    permissions: undefined,
    cause: { correlationId: facts.id, depth: 0 },
    parent: undefined,
    generation: 0,
    limited: false,
    concurrencyKey: undefined,
    deadlineMs: Number.POSITIVE_INFINITY,
  };
}
