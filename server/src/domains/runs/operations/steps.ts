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
  summary: "Count steps of a run by node",
  description:
    "Returns one entry per node with steps: the number of steps by status and by branch, and for a loop the number of items, completed items and failed items. The stream of a run sends updates with `summary=true`.",
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
  summary: "List steps of a run by start time",
  description:
    "`node` selects one node by key (`each/lines/call`) or all nodes in a loop (`each/`). `item` selects one item (`each[3]` or `each[3].lines[0]`) or a range of items (`each[100-149]`); `deep=false` excludes steps of inner loops. `status` filters by one or more statuses. Inputs and outputs are visible as in `runs.get`.",
  permission: WorkflowsRead,
  params: ByRun,
  query: object({
    ...pageQuery,
    status: Type.Optional(statuses.schema),
    node: Type.Optional(line(1_000, "Key of a node")),
    item: Type.Optional(line(1_000, "Path of an item or a range of items")),
    deep: Type.Optional(
      Type.Boolean({ description: "Whether to include steps of loops within the items" }),
    ),
  }),
  response: page(RunStep),
  example: { ...runExample, query: { limit: 50, node: "each/call", status: "failed" } },
  run: (ctx, { params, query: { status, ...filter } }) =>
    listSteps(ctx, params.runId, { ...filter, statuses: statuses.parse(status) }),
});

export const getRunStep = query({
  id: "runs.step",
  route: "GET /api/v1/runs/{runId}/steps/{stepId}",
  summary: "Get a step of a run with all its attempts",
  description:
    "`attemptLog` contains each attempt with its times and error. `round` is the number of run retries that repeated the step.",
  permission: WorkflowsRead,
  params: object({ runId: RunId, stepId: line(1_000) }),
  response: item(StepDetail),
  example: { params: { ...runExample.params, stepId: "call" } },
  run: (ctx, { params: { runId, stepId } }) => readStep(ctx, runId, stepId),
});
