/** Records a run as a test fixture: step inputs and outputs, and the facts used. */
import { listValues } from "#domains/variables/index.ts";
import {
  canSeeTrace,
  type Definition,
  findVersion,
  variablesNamedIn,
} from "#domains/workflows/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import { Failure, Forbidden, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { maskAddresses } from "../calls/resume-address.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
import type { RecordedFacts } from "../engine/run-context.ts";
import { readWorkspaceFacts } from "../host/server-host.ts";
import { find } from "../store.ts";
import type { Fixture, FixtureStep } from "./fixture.ts";
import { readKeptRuns } from "./store.ts";

/** The workspace, and all variables that the caller can read. */
export async function readFixtureFacts(
  platform: Platform,
  caller: Caller,
): Promise<Required<RecordedFacts>> {
  const partition = partitionOfCaller(caller);
  const [workspace, variables] = await Promise.all([
    readWorkspaceFacts(platform, partition),
    listValues(platform, partition, caller),
  ]);
  return { workspace, variables };
}

/** Reads an ended run as a fixture. Requires permission to see the trace. */
export async function readFixture(
  { tx, caller, services }: Pick<ReadContext, "tx" | "caller" | "services">,
  runId: string,
  { workspace, variables }: Required<RecordedFacts>,
): Promise<Fixture> {
  const run = await find(tx, runId);
  if (!run) throw new Failure(NotFound);
  if (!canSeeTrace(caller, run.runAs)) throw new Failure(Forbidden);
  const [kept] = await readKeptRuns(tx, [runId]);
  const version = await findVersion(tx, run.workflowId, { id: run.versionId });
  const definition = run.testRun?.definition ?? version?.definition;
  const { status } = run;
  if (!kept || !definition || (status !== "completed" && status !== "failed")) {
    throw invalidField("/runId", "must be the id of a completed or failed run");
  }
  const steps = [...foldJournal(kept.lines)].map(([path, step]) => [path, toFixtureStep(step)]);
  const fixture: Fixture = {
    workflow: definition.name,
    triggerType: kept.triggerType,
    trigger: { ...kept.trigger },
    createdAt: new Date(kept.createdAt).toISOString(),
    run: { id: kept.id, workflowId: kept.workflowId, versionId: kept.versionId },
    workspace: { ...workspace },
    ...pickVariables(services, definition, variables),
    status,
    ...(kept.output !== null && { output: kept.output }),
    ...(run.error && { error: { ...run.error } }),
    definition,
    steps: Object.fromEntries(steps) as Fixture["steps"],
  };
  // An address allows anyone to continue the run, so fixtures contain none.
  return maskAddresses(fixture);
}

/** Selects the referenced variables, or all if a reference is dynamic. */
function pickVariables(
  services: ReadContext["services"],
  definition: Definition,
  variables: Readonly<Record<string, unknown>>,
): Pick<Fixture, "variables"> {
  const names = variablesNamedIn(services, definition);
  if (names === "all") return { variables: { ...variables } };
  const known = names.filter((name) => Object.hasOwn(variables, name));
  if (known.length === 0) return {};
  return { variables: Object.fromEntries(known.map((name) => [name, variables[name]])) };
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
