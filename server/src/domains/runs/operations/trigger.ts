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
  summary: "Run a workflow by hand",
  description:
    "Runs the version that is deployed in the environment of the request, with the permissions of " +
    "whoever deployed it; or the version that `versionId` names, with those of the caller. Expressions " +
    "see `input` as `trigger.input`, and `event`, or the past event that `eventId` names, as `trigger.event`: by it " +
    "one that listens to events is run once more, and the past event is its cause. The answer is 202 with the run's id. With `wait` it comes when " +
    "the run is over, 200 with its `output`; a run that takes longer is answered 202 as it is then.",
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
        "Which of several triggers it begins with; the one by hand or the first unless given",
      ),
    ),
  }),
  bodyOptional: true,
  longRunning: true,
  response: accepted(TriggeredRun, {
    // A field of the value, and not of the answer.
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
  summary: "Show the trigger of a workflow in each environment",
  description:
    "Whether it is on, the next times of a schedule, the events that it hears, the address of a webhook " +
    "with the name of its secret, the call that starts it, and the run that it started last.",
  environmentScoped: false,
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  response: item(TriggerStates),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  prepare: (platform, { params: { id } }, caller) => readTriggerStates(platform, caller, id),
  run: async (_ctx, _input, states) => states,
});
