/**
 * Fixtures: a run as a file, by which a definition is tested on any installation. It has what the steps gave and were given,
 * and the definition that they were of.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import Type, { type Static } from "typebox";
import {
  canSeeTrace,
  compilePlan,
  type Definition,
  findStructureErrors,
  findVersion,
  nodeTypesOf,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import { Failure, Forbidden, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { InputTime, line, nullable, object } from "#kernel/schema/schema.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
import { find } from "../store.ts";
import { openStage, rehearseRun } from "./rehearse.ts";
import { type KeptRun, readKeptRuns } from "./store.ts";
import { RehearsalDifference, Verdict } from "./verdict.ts";

const STEPS_MAX = 20_000;

const FixtureError = Type.Object(
  { code: line(200), message: Type.String(), path: Type.Optional(Type.String()) },
  { additionalProperties: true },
);

const FixtureStep = object({
  status: Type.Enum([
    "ready",
    "running",
    "waiting",
    "paused",
    "completed",
    "failed",
    "skipped",
    "cancelled",
  ]),
  input: Type.Optional(Type.Unknown()),
  output: Type.Optional(Type.Unknown()),
  branch: Type.Optional(line(300)),
  error: Type.Optional(FixtureError),
  page: Type.Optional(object({ truncated: Type.Boolean(), nextCursor: nullable(Type.String()) })),
  startedAt: Type.Optional(InputTime),
});
type FixtureStep = Static<typeof FixtureStep>;

/** A recorded run. */
export const Fixture = object(
  {
    workflow: line(200, "The name of its workflow"),
    triggerType: line(200),
    trigger: Type.Record(Type.String(), Type.Unknown(), { description: "What expressions see" }),
    createdAt: InputTime,
    status: Type.Enum(["completed", "failed"]),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(FixtureError),
    definition: Type.Unknown({ description: "The definition that it ran with" }),
    steps: Type.Record(Type.String(), FixtureStep, {
      maxProperties: STEPS_MAX,
      description: "By their ids, as in a trace",
    }),
  },
  { title: "WorkflowFixture" },
);
export type Fixture = Static<typeof Fixture>;

/** The outcome of a fixture with another definition. */
export const FixtureResult = Type.Object(
  {
    verdict: Verdict,
    status: nullable(
      Type.Enum(["completed", "failed"], {
        description: "How it would end; null where an outcome is missing",
      }),
    ),
    output: Type.Unknown({ description: "What it would give" }),
    difference: nullable(RehearsalDifference),
  },
  { title: "FixtureResult" },
);
export type FixtureResult = Static<typeof FixtureResult>;

/** Reads a run that is over as a fixture; those who may not see its trace may not have it. */
export async function readFixture(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  runId: string,
): Promise<Fixture> {
  const run = await find(tx, runId);
  if (!run) throw new Failure(NotFound);
  if (!canSeeTrace(caller, run.runAs)) throw new Failure(Forbidden);
  const [kept] = await readKeptRuns(tx, [runId]);
  const version = await findVersion(tx, run.workflowId, { id: run.versionId });
  const definition = run.testRun?.definition ?? version?.definition;
  const { status } = run;
  if (!kept || !definition || (status !== "completed" && status !== "failed")) {
    throw invalidField("/runId", "must be of a run that completed or failed");
  }
  const steps = [...foldJournal(kept.lines)].map(([path, step]) => [path, toFixtureStep(step)]);
  return {
    workflow: definition.name,
    triggerType: kept.triggerType,
    trigger: { ...kept.trigger },
    createdAt: new Date(kept.createdAt).toISOString(),
    status,
    ...(kept.output !== null && { output: kept.output }),
    ...(run.error && { error: { ...run.error } }),
    definition,
    steps: Object.fromEntries(steps) as Fixture["steps"],
  };
}

function toFixtureStep(step: JournalRecord): FixtureStep {
  const { status, input, output, branch, error, page, startedAt } = step;
  return {
    status,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(branch !== undefined && { branch }),
    ...(error && { error: { ...error } }),
    ...(page && { page }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

/** Takes fixtures through a definition that has been checked; undefined for those that there was no time for. */
export async function rehearseFixtures(
  platform: Platform,
  caller: Caller,
  {
    definition,
    fixtures,
  }: { readonly definition: Definition; readonly fixtures: readonly Fixture[] },
): Promise<readonly (FixtureResult | undefined)[]> {
  const stage = openStage(platform, caller, definition);
  const results: (FixtureResult | undefined)[] = [];
  for (const fixture of fixtures) {
    await yieldToEventLoop();
    if (performance.now() > stage.until) {
      results.push(undefined);
      continue;
    }
    const result = await rehearseRun(
      stage,
      toKeptRun(fixture, caller),
      compileRecorded(platform, fixture),
    );
    const { verdict, statusAfter, difference } = result?.run ?? {};
    results.push(
      verdict && {
        verdict,
        status: statusAfter ?? null,
        output: result?.output ?? null,
        difference: difference ?? null,
      },
    );
  }
  return results;
}

/** Undefined for a definition that this installation does not understand, as if its version were gone. */
function compileRecorded(platform: Platform, { definition }: Fixture) {
  if (findStructureErrors(platform, definition).length > 0) return undefined;
  // It was checked just now.
  const plan = compilePlan(definition as Definition, nodeTypesOf(platform));
  return { plan, number: 0 };
}

const NOWHERE = "fixture";

function toKeptRun(fixture: Fixture, { actor }: Caller): KeptRun {
  const { triggerType, trigger, createdAt, status, output, error, steps } = fixture;
  return {
    id: NOWHERE,
    workflowId: NOWHERE,
    versionId: NOWHERE,
    triggerType,
    trigger,
    status,
    output: output ?? null,
    error: error && { code: error.code, ...(error.path !== undefined && { path: error.path }) },
    actor,
    runAs: actor.id,
    createdAt,
    lines: Object.entries(steps).map(([path, step]) => toRecord(path, step)),
  };
}

function toRecord(path: string, { error, ...step }: FixtureStep): JournalRecord {
  const node = path.slice(path.lastIndexOf(".") + 1);
  return { path, node, attempts: 1, ...step, ...(error && { error }) };
}
