import Type, { type Static } from "typebox";
import { findStartable, WorkflowId, TracesRead, WorkflowsRead } from "#domains/workflows/index.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { eventStream, item, type Page, page, withRevision } from "#kernel/operation/response.ts";
import { InputTime, line, object, Time } from "#kernel/schema/schema.ts";
import { listOf } from "../name-list.ts";
import { readRun, revisionOf } from "../read-run.ts";
import { Run, RunId, RunStatus, StepStatus, TracedRun } from "../run.ts";
import { countByStatus, list, type RunQuery } from "../store.ts";
import { openStream } from "../stream.ts";

export const ByRun = object({ runId: RunId });
export const runExample = { params: { runId: "run_01jd0000000000000000000000" } };

const LIST = "runs, newest first";
const LIST_OLDEST = "runs, oldest first";
const STEPS_MAX = 2_000;
const STEPS_DEFAULT = 500;

const statuses = listOf(RunStatus);

const filters = {
  status: Type.Optional(statuses.schema),
  triggerType: Type.Optional(line(200, "One trigger type, or several separated by commas")),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  test: Type.Optional(
    Type.Boolean({ description: "`false` excludes dry runs, `true` returns only dry runs" }),
  ),
  version: Type.Optional(Type.Integer({ minimum: 1, description: "Version number" })),
  error: Type.Optional(line(200, "Part of the error code or error message; ignores case")),
  parentRunId: Type.Optional(RunId),
};
type Filters = Static<ReturnType<typeof object<typeof filters>>>;

const listQuery = {
  ...pageQuery,
  ...filters,
  order: Type.Optional(
    Type.Enum(["desc", "asc"], { description: "Default: `desc`, newest first" }),
  ),
};

export const listRuns = query({
  id: "runs.list",
  route: "GET /api/v1/runs",
  summary: "List runs of the environment, newest first",
  description:
    "Returns runs without their steps. `from` and `to` filter by `createdAt`; `to` is exclusive. The run of a sub-workflow is listed next to its parent run and uses the time of the parent run.",
  permission: WorkflowsRead,
  query: object({ ...listQuery, workflowId: Type.Optional(WorkflowId) }),
  response: page(withRevision(Run)),
  example: { query: { status: "failed", limit: 50 } },
  run: (ctx, { query: runQuery }) => listRunPage(ctx, runQuery),
});

export const listRunsOfWorkflow = query({
  id: "workflows.runs",
  route: "GET /api/v1/workflows/{id}/runs",
  aliases: ["GET /api/workflows/{id}/runs"],
  summary: "List runs of a workflow, newest first",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  query: object(listQuery),
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
  summary: "Get a run with its steps",
  description: `Steps are sorted by start. Their inputs and outputs do not contain secrets. They are visible to the user that the run acts as and to members with the permission \`${TracesRead.name}\`. Other members get a \`redacted\` run. At most 16 million characters of steps are returned: \`truncated\` is true if there are more, and \`afterStep\` continues after a step. \`stepStatus\` filters the steps: \`failed\` includes steps after which the run continued.`,
  permission: WorkflowsRead,
  params: ByRun,
  query: object({
    steps: Type.Integer({
      minimum: 0,
      maximum: STEPS_MAX,
      default: STEPS_DEFAULT,
      description: "Maximum number of steps",
    }),
    afterStep: Type.Optional(line(1_000, "The id of a step")),
    stepStatus: Type.Optional(StepStatus),
  }),
  response: item(TracedRun),
  example: runExample,
  run: (ctx, { params, query: { steps: limit, afterStep: after, stepStatus: status } }) =>
    readRun(ctx, params.runId, { limit, after, status }),
});

const COUNTED_MS = 24 * 3_600_000;

export const countRuns = query({
  id: "runs.counts",
  route: "GET /api/v1/runs/counts",
  summary: "Count runs by status",
  description:
    "Supports the filters of the list. Default: the last 24 hours. Counts the newest 50,000 runs; `truncated` is true if there are more.",
  permission: WorkflowsRead,
  query: object({ ...filters, workflowId: Type.Optional(WorkflowId) }),
  response: item(
    Type.Object(
      {
        from: Time,
        total: Type.Integer(),
        byStatus: Type.Object({
          queued: Type.Integer(),
          running: Type.Integer(),
          waiting: Type.Integer(),
          paused: Type.Integer(),
          completed: Type.Integer(),
          failed: Type.Integer(),
          cancelled: Type.Integer(),
        }),
        truncated: Type.Boolean(),
      },
      { title: "RunCounts" },
    ),
  ),
  example: { query: { test: false } },
  async run({ tx, now }, { query: { workflowId, ...filter } }) {
    const from = filter.from ?? new Date(now.getTime() - COUNTED_MS).toISOString();
    const { counts, truncated } = await countByStatus(tx, {
      ...toFilter(filter),
      workflowId,
      from,
    });
    const byStatus = { ...NO_RUNS, ...counts };
    const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
    return { from: new Date(from).toISOString(), total, byStatus, truncated };
  },
});

const NO_RUNS = {
  queued: 0,
  running: 0,
  waiting: 0,
  paused: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
};

function toFilter({ status, triggerType, ...filter }: Filters) {
  return { ...filter, statuses: statuses.parse(status), triggerTypes: triggerType?.split(",") };
}

async function listRunPage(
  { tx, services: { cursors } }: ReadContext,
  runQuery: Filters & Pick<RunQuery, "limit" | "order" | "workflowId" | "after">,
): Promise<Page<Run & { readonly revision: number }>> {
  const { after, limit, order = "desc", workflowId, ...filter } = runQuery;
  const listName = order === "desc" ? LIST : LIST_OLDEST;
  const [last] = after === undefined ? [] : cursors.decode(listName, after);
  if (last !== undefined && typeof last !== "string")
    throw invalidField("?after", "is not an event id of this stream");
  const page = { after: last, order, limit: limit + 1 };
  const rows = await list(tx, { ...toFilter(filter), workflowId, ...page });
  return toPage(
    rows,
    limit,
    ({ entries, ...run }) => ({ ...run, revision: revisionOf({ ...run, entries }) }),
    ({ id }) => cursors.encode(listName, [id]),
  );
}

export const streamRun = query({
  id: "runs.stream",
  route: "GET /api/v1/runs/{runId}/stream",
  summary: "Stream a run as server-sent events",
  description:
    "The first event is `run`: the run with its first 500 steps. Then follow a `step` event for each changed step, a `text` event for text that a language model writes, and a `run` event without steps for each change of the run. The stream ends with the run, or after 5 minutes. After a reconnect, it starts with the current state.",
  permission: WorkflowsRead,
  params: ByRun,
  query: object({
    steps: Type.Optional(
      Type.Enum(["all", "top", "none"], {
        description: "Steps to send: `all` (default), `top` for steps outside loops, or `none`",
      }),
    ),
    summary: Type.Optional(
      Type.Boolean({
        description:
          "Adds the counts by node of `runs.summary`: all in the first `run` event, then a `summary` event with the changed `nodes`",
      }),
    ),
  }),
  longRunning: true,
  response: eventStream(),
  example: runExample,
  prepare: (platform, { params, query: content }, caller) =>
    openStream(platform, caller, params.runId, content),
  run: async (_ctx, _input, frames) => frames,
});
