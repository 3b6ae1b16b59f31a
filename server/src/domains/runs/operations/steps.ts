import Type from "typebox";
import { WorkflowsRead } from "#domains/workflows/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { listOf } from "../name-list.ts";
import { RunId, RunStep, StepStatus } from "../run.ts";
import { listSteps, readStep, readSummary, RunSummary, StepDetail } from "../summary/step-query.ts";
import { ByRun, runExample } from "./read.ts";

export const getRunSummary = query({
  id: "runs.summary",
  route: "GET /api/v1/runs/{runId}/summary",
  summary: "Count the steps of a run by node",
  description:
    "One entry for each node that has steps: how many have each status and went each way; of a loop, how many " +
    "items there are, are done and have failed. The stream of a run keeps it current with `summary=true`.",
  permission: WorkflowsRead,
  params: ByRun,
  response: item(RunSummary),
  example: runExample,
  run: (ctx, { params }) => readSummary(ctx, params.runId),
});

const statuses = listOf(StepStatus);

export const listRunSteps = query({
  id: "runs.steps",
  route: "GET /api/v1/runs/{runId}/steps",
  summary: "List the steps of a run in the order of their starts",
  description:
    "`node` shows the steps of one node by its key, `each/lines/call`, or of all nodes in a loop, `each/`; `item` those in one item, " +
    "`each[3]` or `each[3].lines[0]`, or in several, `each[100-149]`, and `deep=false` leaves out those of loops " +
    "within; `status` those with one of some statuses. What steps read and wrote is shown to the same people as by " +
    "`runs.get`.",
  permission: WorkflowsRead,
  params: ByRun,
  query: object({
    ...pageQuery,
    status: Type.Optional(statuses.schema),
    node: Type.Optional(line(1_000, "The key of a node")),
    item: Type.Optional(line(1_000, "The path of an item, or of several")),
    deep: Type.Optional(Type.Boolean({ description: "Also the steps of loops within the items" })),
  }),
  response: page(RunStep),
  example: { ...runExample, query: { limit: 50, node: "each/call", status: "failed" } },
  run: (ctx, { params, query: { status, ...filter } }) =>
    listSteps(ctx, params.runId, { ...filter, statuses: statuses.parse(status) }),
});

export const getRunStep = query({
  id: "runs.step",
  route: "GET /api/v1/runs/{runId}/steps/{stepId}",
  summary: "Read a step of a run with each attempt at it",
  description:
    "`attemptLog` has each attempt with its times and error; `round` counts the retries of the run that did the " +
    "step again.",
  permission: WorkflowsRead,
  params: object({ runId: RunId, stepId: line(1_000) }),
  response: item(StepDetail),
  example: { params: { ...runExample.params, stepId: "call" } },
  run: (ctx, { params: { runId, stepId } }) => readStep(ctx, runId, stepId),
});
