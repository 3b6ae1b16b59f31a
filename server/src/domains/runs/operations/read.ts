import Type from "typebox";
import { findStartable, WorkflowId, TracesRead, WorkflowsRead } from "#domains/workflows/index.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { eventStream, item, type Page, page, withRevision } from "#kernel/operation/response.ts";
import { InputTime, line, object } from "#kernel/schema/schema.ts";
import { readRun, revisionOf } from "../read-run.ts";
import { Run, RunId, RunStatus, StepStatus, TracedRun } from "../run.ts";
import { list, type RunQuery } from "../store.ts";
import { openStream } from "../stream.ts";

export const ByRun = object({ runId: RunId });
export const runExample = { params: { runId: "run_01jd0000000000000000000000" } };

const LIST = "runs, newest first";
const STEPS_MAX = 2_000;
const STEPS_DEFAULT = 500;

const filters = {
  ...pageQuery,
  status: Type.Optional(RunStatus),
  triggerType: Type.Optional(line(40)),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
};

export const listRuns = query({
  id: "runs.list",
  route: "GET /api/v1/runs",
  summary: "List the runs of this environment, newest first, without their traces",
  description:
    "`from` and `to` are about `createdAt`; `to` itself does not belong to the span. The run of a " +
    "subworkflow stands beside the run that waits for it, and counts as of that one's time.",
  permission: WorkflowsRead,
  query: object({ ...filters, workflowId: Type.Optional(WorkflowId) }),
  response: page(withRevision(Run)),
  example: { query: { status: "failed", limit: 50 } },
  run: (ctx, { query: runQuery }) => listRunPage(ctx, runQuery),
});

export const listRunsOfWorkflow = query({
  id: "workflows.runs",
  route: "GET /api/v1/workflows/{id}/runs",
  aliases: ["GET /api/workflows/{id}/runs"],
  summary: "List the runs of a workflow in this environment, newest first",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  query: object(filters),
  response: page(withRevision(Run)),
  example: { params: { id: "wf_01jd0000000000000000000000" }, query: { limit: 50 } },
  async run(ctx, { params: { id: workflowId }, query: runQuery }) {
    if (!(await findStartable(ctx.tx, workflowId, ctx.caller.environment))) {
      throw new Failure(NotFound);
    }
    return listRunPage(ctx, { ...runQuery, workflowId });
  },
});

export const getRun = query({
  id: "runs.get",
  route: "GET /api/v1/runs/{runId}",
  summary: "Read a run with its trace",
  description:
    "The steps come in the order in which they were begun. Their inputs and outputs have no secrets " +
    "in them, and are shown to the person in whose name it acts, and to those with the permission " +
    `\`${TracesRead.name}\`; for others the run is \`redacted\`. Of many steps the first ones are shown, ` +
    "up to 16 million characters: `truncated` says that there are more, and `afterStep` goes on behind " +
    "one. `stepStatus` shows only steps with that status: `failed` those that failed, also where the run " +
    "went on after them.",
  permission: WorkflowsRead,
  params: ByRun,
  query: object({
    steps: Type.Integer({
      minimum: 0,
      maximum: STEPS_MAX,
      default: STEPS_DEFAULT,
      description: "How many steps to show at most",
    }),
    afterStep: Type.Optional(line(1_000, "The id of a step")),
    stepStatus: Type.Optional(StepStatus),
  }),
  response: item(TracedRun),
  example: runExample,
  run: (ctx, { params, query: { steps: limit, afterStep: after, stepStatus: status } }) =>
    readRun(ctx, params.runId, { limit, after, status }),
});

async function listRunPage(
  { tx, services: { cursors } }: ReadContext,
  runQuery: Omit<RunQuery, "before"> & { readonly after?: string },
): Promise<Page<Run & { readonly revision: number }>> {
  const { after, limit, ...filter } = runQuery;
  const [before] = after === undefined ? [] : cursors.decode(LIST, after);
  if (before !== undefined && typeof before !== "string")
    throw invalidField("?after", "is not ours");
  const rows = await list(tx, { ...filter, before, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    ({ entries, ...run }) => ({ ...run, revision: revisionOf({ ...run, entries }) }),
    ({ id }) => cursors.encode(LIST, [id]),
  );
}

export const streamRun = query({
  id: "runs.stream",
  route: "GET /api/v1/runs/{runId}/stream",
  summary: "Follow a run live, as server-sent events",
  description:
    "First `run`: the run with its trace as it is now, of which the first 500 steps. Then a `step` " +
    "for each step that changed, and a `run` without its trace for each change of the run itself. The " +
    "stream ends with the run, or after 5 minutes; who comes back begins with the state of that moment.",
  permission: WorkflowsRead,
  params: ByRun,
  longRunning: true,
  response: eventStream(),
  example: runExample,
  prepare: (platform, { params }, caller) => openStream(platform, caller, params.runId),
  run: async (_ctx, _input, frames) => frames,
});
