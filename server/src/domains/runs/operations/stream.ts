import { WorkflowsRead } from "#domains/workflows/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { eventStream } from "#kernel/operation/response.ts";
import { openStream } from "../stream.ts";
import { ByRun, example } from "./read.ts";

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
  waits: true,
  reply: eventStream(),
  example,
  prepare: (outside, { params }, caller) => openStream(outside, caller, params.runId),
  run: async (_ctx, _input, pieces) => pieces,
});
