import Type, { type Static } from "typebox";
import { ActorSchema } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const RunId = id("run");

export const RunStatus = Type.Enum(
  ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"],
  {
    description:
      "`queued`: waits for the concurrency limit. `waiting`: waits for a time, an event, a request or another run. `paused`: waits for an approval. The last three are final unless the run is retried",
  },
);
export type RunStatus = Static<typeof RunStatus>;

export const RunError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  path: Type.Optional(Type.String({ description: "The step that failed" })),
  field: Type.Optional(Type.String({ description: "The configuration field, as a JSON pointer" })),
  expression: Type.Optional(Type.String({ description: "The expression with the error" })),
});

const StepErrorItem = Type.Object(
  {
    ...RunError.properties,
    path: Type.Optional(Type.String({ description: "For a loop: the failed step in it" })),
    status: Type.Optional(Type.Integer({ description: "Status of the HTTP response" })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.Unknown()),
  },
  { title: "RunStepError" },
);

const runFields = {
  id: RunId,
  workflowId: id("wf"),
  workflowName: Type.String(),
  versionId: id("wfv"),
  version: nullable(Type.Integer({ description: "Null if the version was deleted" })),
  environment: Type.Enum(["production", "staging", "development"]),
  status: RunStatus,
  triggerType: Type.String({
    description:
      "`manual`, `event_bus`, `schedule`, `webhook`, `subworkflow`, `request`, `error` or `test`",
  }),
  triggerId: nullable(
    Type.String({ description: "Id of the trigger of the workflow. Null if there is only one" }),
  ),
  test: Type.Boolean({ description: "True for a dry run. It has no effects outside the run" }),
  startedBy: ActorSchema,
  eventId: nullable(Type.String({ description: "The event that started it" })),
  parentRunId: nullable(Type.String({ description: "Parent run, which waits for this run" })),
  correlationId: Type.String(),
  error: nullable(RunError),
  createdAt: Time,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  durationMs: nullable(Type.Integer({ description: "Time from start to end" })),
};

/** A run in a list. */
export const Run = Type.Object(runFields, { title: "Run" });
export type Run = Static<typeof Run>;

/** The response to a trigger. */
export const TriggeredRun = Type.Object(
  {
    ...runFields,
    runId: RunId,
    output: Type.Optional(
      Type.Unknown({ description: "Output of a completed run, if the request waited for it" }),
    ),
  },
  { title: "TriggeredRun" },
);
export type TriggeredRun = Static<typeof TriggeredRun> & { readonly waited?: boolean };

export const StepStatus = Type.Enum([
  "running",
  "waiting",
  "paused",
  "completed",
  "failed",
  "skipped",
  "cancelled",
]);

export const ApprovalDecision = Type.Object({
  userId: Type.String(),
  name: Type.String(),
  approved: Type.Boolean(),
  comment: Type.Optional(Type.String()),
  data: Type.Optional(Type.Unknown()),
  at: Time,
});

const StepWait = Type.Object(
  {
    kind: Type.Enum(["delay", "event", "call", "form", "approval", "child", "retry"]),
    until: nullable(Time),
    topic: Type.Optional(Type.String()),
    eventType: Type.Optional(Type.String()),
    filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    approvers: Type.Optional(Type.Array(Type.String())),
    quorum: Type.Optional(Type.Integer()),
    message: Type.Optional(Type.String()),
    decisions: Type.Optional(Type.Array(ApprovalDecision)),
    runId: Type.Optional(Type.String()),
  },
  { title: "RunStepWait" },
);

export const RunStep = Type.Object(
  {
    id: Type.String({ description: "`call`, or `each[3].call` for a step in a loop" }),
    nodeId: Type.String(),
    name: Type.String(),
    type: nullable(Type.String()),
    status: StepStatus,
    attempts: Type.Integer(),
    input: Type.Optional(Type.Unknown()),
    output: Type.Optional(Type.Unknown()),
    page: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "For a list: whether records were omitted",
      }),
    ),
    error: Type.Optional(StepErrorItem),
    onError: Type.Optional(
      Type.Enum(["fail", "continue", "branch"], {
        description: "Error handling of a failed step",
      }),
    ),
    branch: Type.Optional(Type.String({ description: "The selected branch" })),
    items: Type.Optional(Type.Integer({ description: "Number of items of a loop" })),
    wait: Type.Optional(StepWait),
    childRunId: Type.Optional(
      Type.String({ description: "For a sub-workflow: the run that the step started" }),
    ),
    logs: Type.Array(
      Type.Object({
        at: Time,
        level: Type.Enum(["debug", "info", "warn", "error"]),
        message: Type.String(),
        metadata: Type.Optional(Type.Unknown()),
      }),
    ),
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
    durationMs: nullable(Type.Integer()),
  },
  { title: "RunStep" },
);
export type RunStep = Static<typeof RunStep>;

export const TracedRun = Type.Object(
  {
    ...runFields,
    trigger: Type.Record(Type.String(), Type.Unknown(), {
      description: "Value of `trigger` in expressions",
    }),
    output: Type.Unknown(),
    queue: Type.Optional(
      Type.Object(
        {
          limit: Type.Integer({ description: "Maximum number of concurrent runs" }),
          running: Type.Integer({ description: "Number of active runs that block it" }),
          ahead: Type.Integer({ description: "Number of runs that were queued earlier" }),
          key: nullable(Type.String({ description: "Concurrency key" })),
        },
        { title: "RunQueue", description: "For a queued run: the reason for waiting" },
      ),
    ),
    redacted: Type.Optional(
      Type.Boolean({ description: "True if the inputs and outputs of its steps are omitted" }),
    ),
    trace: Type.Object({
      steps: Type.Array(RunStep),
      total: Type.Integer({ description: "Number of steps" }),
      truncated: Type.Boolean({
        description: "Whether there are more steps. Send the id of the last one as `afterStep`",
      }),
    }),
  },
  { title: "TracedRun" },
);
export type TracedRun = Static<typeof TracedRun>;

export const NotDeployed = failure(
  "not_deployed",
  409,
  "No version of the workflow is deployed in this environment.",
);
export const RunOver = failure("run_over", 409, "The run has ended.");
export const RunNotOver = failure("run_not_over", 409, "The run has not ended yet.");
export const RunNotFailed = failure(
  "run_not_failed",
  409,
  "The run has completed. You can retry it from the start or from a step.",
);
export const TestRunFinal = failure(
  "test_run",
  409,
  "Dry runs can't be retried. Start a new dry run.",
);
export const VersionGone = failure(
  "version_gone",
  409,
  "The version of the run was deleted. Retry with the latest version.",
);
export const RunNotPaused = failure(
  "run_not_paused",
  409,
  "No step with this id waits for an approval.",
);
export const NotAnApprover = failure(
  "not_an_approver",
  403,
  "You are not an approver of this step.",
);
export const AlreadyDecided = failure(
  "already_decided",
  409,
  "You have already decided on this approval.",
);
