import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import Type from "typebox";
import {
  ArchivedVersion,
  ArchivedWorkflow,
  VersionId,
  WorkflowId,
  WorkflowsRead,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { ChainTooDeep } from "#kernel/operation/layers/chain-depth.ts";
import { accepted, item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { startEvents } from "../events.ts";
import { NotDeployed, TriggeredRun } from "../run.ts";
import { PastEventId } from "../triggers/chosen-event.ts";
import { readTriggerStates, TriggerStates } from "../triggers/trigger-states.ts";
import { awaitTriggeredRun, prepareTrigger, triggerRun } from "../control/trigger-run.ts";
import { ChainTooLong } from "../start/chain-bound.ts";

const WAIT_MAX_MS = 60_000;

export const triggerWorkflow = command({
  id: "workflows.trigger",
  effect: "ordinary",
  route: "POST /api/v1/workflows/{id}/trigger",
  aliases: ["POST /api/workflows/{id}/trigger"],
  summary: "Run a workflow manually",
  description:
    "Runs the deployed version of the environment with the permissions of the user who deployed it, or the version `versionId` with your permissions. Expressions read `input` as `trigger.input` and `event` as `trigger.event`. With `eventId`, `trigger.event` is this past event, which is also the cause of the run. The response is 202 with the id of the run. With `wait`, the response is 200 with the `output` after the end of the run, or 202 if the run takes longer.",
  permission: WorkflowsTrigger,
  params: object({ id: WorkflowId }),
  query: object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_MAX_MS,
        description: "How long to wait for the end of the run, in milliseconds",
      }),
    ),
  }),
  body: object({
    input: Type.Optional(Type.Unknown()),
    event: Type.Optional(Type.Unknown({ description: "An example of an event" })),
    eventId: Type.Optional(PastEventId),
    versionId: Type.Optional(VersionId),
    triggerId: Type.Optional(
      line(
        40,
        "The trigger to use, if there are several. Default: the manual trigger, or the first one",
      ),
    ),
  }),
  bodyOptional: true,
  longRunning: true,
  response: accepted(TriggeredRun, {
    // A field of the result that is not part of the response.
    alternative: { status: 200, when: (value) => (value as TriggeredRun).waited === true },
    location: ({ runId }) => `/api/v1/runs/${runId}`,
  }),
  emits: startEvents,
  fails: [NotDeployed, ArchivedWorkflow, ArchivedVersion, ChainTooDeep, ChainTooLong, NobodyBehind],
  example: {
    params: { id: "wf_01jd0000000000000000000000" },
    query: { wait: 5_000 },
    body: { input: { order: 4711 } },
  },
  prepare: (platform, { params, body }, caller) =>
    prepareTrigger(platform, caller, params.id, body),
  async run(ctx, { query }, prepared) {
    const { output, ...run } = await triggerRun(ctx, prepared);
    return query.wait === undefined || output === undefined ? run : { ...run, output };
  },
  async afterCommit(platform, { query: { wait } }, { value, caller }) {
    if (wait === undefined) return undefined;
    return awaitTriggeredRun(platform, caller, { value, waitMs: wait });
  },
});

export const listTriggers = query({
  id: "workflows.triggers",
  route: "GET /api/v1/workflows/{id}/triggers",
  aliases: ["GET /api/workflows/{id}/triggers"],
  summary: "List the triggers of a workflow with their state by environment",
  description:
    "Returns whether a trigger is on, the next times of a schedule, the events of an event trigger, the URL of a webhook and the name of its secret, an example request, and the last run.",
  environmentScoped: false,
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  response: item(TriggerStates),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  prepare: (platform, { params: { id } }, caller) => readTriggerStates(platform, caller, id),
  run: async (_ctx, _input, states) => states,
});
