import Type from "typebox";
import {
  ArchivedVersion,
  Definition,
  LAST_RUNS_DEFAULT,
  LAST_RUNS_MAX,
  LastRuns,
  VersionId,
  WorkflowId,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { assertTestable, resolveTestedVersion } from "../control/test-run.ts";
import { RunId } from "../run.ts";
import { Backtest, backtest } from "./backtest.ts";
import { rehearse } from "./rehearse.ts";
import { type KeptRunSize, listKeptRuns, type RunChoice } from "./store.ts";
import { Rehearsal } from "./verdict.ts";

const ById = object({ id: WorkflowId });
const params = { id: "wf_01jd0000000000000000000000" };
const tested = { versionId: Type.Optional(VersionId), definition: Type.Optional(Definition) };

export const rehearseWorkflow = query({
  id: "workflows.rehearse",
  route: "POST /api/v1/workflows/{id}/rehearse",
  summary: "Simulate another definition on past runs",
  description:
    "Simulates completed and failed runs of this environment with the live definition, a version, or an unsaved definition, in memory: steps that calculate run again; steps that call other systems or wait return their recorded output. It does not store data or call other systems. Each run is `same`, or contains the first different step with both values. A step that sends different data is assumed to return the recorded output. For a step that never ran, or code with different input, there is no recorded output. Runs whose steps you can't view are omitted. An unsaved definition also requires `workflows:write`.",
  environmentScoped: true,
  permission: WorkflowsTrigger,
  params: ById,
  body: object({
    ...tested,
    lastRuns: Type.Optional(LastRuns),
    runIds: Type.Optional(
      Type.Array(RunId, { minItems: 1, maxItems: LAST_RUNS_MAX, uniqueItems: true }),
    ),
  }),
  bodyOptional: true,
  response: item(Rehearsal),
  fails: [ArchivedVersion],
  example: { params, body: { lastRuns: 100 } },
  prepare: (platform, { params: { id }, body }, caller) =>
    prepareRehearsal(platform, caller, id, body),
  run: async (_ctx, _input, rehearsal) => rehearsal,
});

interface RehearsalInput {
  readonly versionId?: string;
  readonly definition?: Definition;
  readonly lastRuns?: number;
  readonly runIds?: readonly string[];
}

async function prepareRehearsal(
  platform: Platform,
  caller: Caller,
  workflowId: string,
  input: RehearsalInput,
): Promise<Rehearsal> {
  assertTestable(caller, input);
  const { lastRuns, runIds } = input;
  if (lastRuns !== undefined && runIds !== undefined) {
    throw invalidField("/runIds", "can't be combined with lastRuns");
  }
  if (!caller.workspace) throw new Error("Runs belong to a workspace.");
  const partition = { workspace: caller.workspace.key, environment: caller.environment };
  const runs: RunChoice = runIds ? { ids: runIds } : { last: lastRuns ?? LAST_RUNS_DEFAULT };
  const { definition } = await platform.db.read(partition, async (tx) => {
    if (runIds) assertKept(runIds, await listKeptRuns(tx, workflowId, runs));
    return resolveTestedVersion(tx, platform, workflowId, input);
  });
  return rehearse(platform, caller, { workflowId, definition, runs });
}

function assertKept(ids: readonly string[], kept: readonly KeptRunSize[]): void {
  const known = new Set(kept.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown < 0) return;
  throw invalidField(`/runIds/${unknown}`, "is not a completed or failed run of this workflow");
}

export const backtestTrigger = query({
  id: "workflows.backtest",
  route: "POST /api/v1/workflows/{id}/backtest",
  summary: "List past events that match the trigger of a workflow",
  description:
    "Searches the events of this environment that you can view with the trigger of the live definition, a version, or an unsaved definition. `from` is inclusive, `to` is exclusive.",
  environmentScoped: true,
  permission: WorkflowsTrigger,
  params: ById,
  body: object({
    ...tested,
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: "Maximum number of events. Default: 50",
      }),
    ),
  }),
  bodyOptional: true,
  response: item(Backtest),
  fails: [ArchivedVersion],
  example: { params, body: { from: "2026-10-01T00:00:00Z", limit: 20 } },
  async prepare(platform, { params: { id }, body }, caller) {
    assertTestable(caller, body);
    if (!caller.workspace) throw new Error("Events are seen within a workspace.");
    const partition = { workspace: caller.workspace.key, environment: caller.environment };
    return platform.db.read(partition, (tx) => resolveTestedVersion(tx, platform, id, body));
  },
  run: (ctx, { body }, version) => backtest(ctx, version, body),
});
