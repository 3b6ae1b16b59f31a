import Type, { type Static } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { ActorSchema } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const RunId = id("run");

export const RunStatus = Type.Enum(
  ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"],
  {
    description:
      "`queued`: until fewer of its workflow run; `waiting`: for a time, an event, a call or another run; " +
      "`paused`: for an approval. The last three are final, but for a retry",
  },
);
export type RunStatus = Static<typeof RunStatus>;

export const RunError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  path: Type.Optional(Type.String({ description: "The step that failed" })),
  field: Type.Optional(
    Type.String({ description: "The field of its configuration, as a JSON pointer" }),
  ),
  expression: Type.Optional(Type.String({ description: "The expression there" })),
});

const StepErrorItem = Type.Object(
  {
    ...RunError.properties,
    path: Type.Optional(Type.String({ description: "Of a loop: the step in it that failed" })),
    status: Type.Optional(Type.Integer({ description: "Of the answer to a call" })),
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
  version: nullable(Type.Integer({ description: "Null when the version is no longer kept" })),
  environment: Type.Enum(["production", "staging", "development"]),
  status: RunStatus,
  triggerType: Type.String({
    description:
      "`manual`, `event_bus`, `schedule`, `webhook`, `subworkflow`, `request`, `error` or `test`",
  }),
  triggerId: nullable(
    Type.String({ description: "Which of the workflow's triggers began it; null for a sole one" }),
  ),
  test: Type.Boolean({ description: "A test touches nothing outside of the run" }),
  startedBy: ActorSchema,
  eventId: nullable(Type.String({ description: "The event that started it" })),
  parentRunId: nullable(Type.String({ description: "The run of which a step waits for this one" })),
  correlationId: Type.String(),
  error: nullable(RunError),
  createdAt: Time,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  durationMs: nullable(Type.Integer({ description: "From the start to the end" })),
};

/** A run as lists show it. */
export const Run = Type.Object(runFields, { title: "Run" });
export type Run = Static<typeof Run>;

/** The response to a trigger. */
export const TriggeredRun = Type.Object(
  {
    ...runFields,
    runId: RunId,
    output: Type.Optional(
      Type.Unknown({ description: "Of a run that is over, for those who waited for it" }),
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

/** One step of a run, as the trace shows it. */
export const RunStep = Type.Object(
  {
    id: Type.String({ description: "`call`, or `each[3].call` for one in a loop" }),
    nodeId: Type.String(),
    name: Type.String(),
    type: nullable(Type.String()),
    status: StepStatus,
    attempts: Type.Integer(),
    input: Type.Optional(Type.Unknown()),
    output: Type.Optional(Type.Unknown()),
    page: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "Of a list: what it left out" }),
    ),
    error: Type.Optional(StepErrorItem),
    onError: Type.Optional(
      Type.Enum(["fail", "continue", "branch"], {
        description: "Of a step that failed: what followed",
      }),
    ),
    branch: Type.Optional(Type.String({ description: "The way that it went" })),
    items: Type.Optional(Type.Integer({ description: "How many a loop has" })),
    wait: Type.Optional(StepWait),
    childRunId: Type.Optional(
      Type.String({ description: "Of a subworkflow: the run that the step started" }),
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

/** One run with its trace. */
export const TracedRun = Type.Object(
  {
    ...runFields,
    trigger: Type.Record(Type.String(), Type.Unknown(), {
      description: "What expressions see as `trigger`",
    }),
    output: Type.Unknown(),
    queue: Type.Optional(
      Type.Object(
        {
          limit: Type.Integer({ description: "How many may run at a time" }),
          running: Type.Integer({ description: "How many do, and block it" }),
          ahead: Type.Integer({ description: "How many were queued before it" }),
          key: nullable(Type.String({ description: "Of the runs that exclude each other" })),
        },
        { title: "RunQueue", description: "Of a queued run: what it waits for" },
      ),
    ),
    redacted: Type.Optional(
      Type.Boolean({ description: "True when what its steps read and wrote is left out" }),
    ),
    trace: Type.Object({
      steps: Type.Array(RunStep),
      total: Type.Integer({ description: "Steps that there are" }),
      truncated: Type.Boolean({
        description: "Whether there are more behind these; send the last one's id as `afterStep`",
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
export const RunOver = failure("run_over", 409, "The run is over.");
export const RunNotOver = failure("run_not_over", 409, "The run is not over yet.");
export const RunNotFailed = failure(
  "run_not_failed",
  409,
  "The run has completed; it can be done again from the start or from a step.",
);
export const TestRunFinal = failure("test_run", 409, "A test is not retried; test again.");
export const VersionGone = failure(
  "version_gone",
  409,
  "The version that the run started with is no longer kept; retry with the latest one.",
);
export const RunNotPaused = failure("run_not_paused", 409, "No such step waits for an approval.");
export const NotAnApprover = failure(
  "not_an_approver",
  403,
  "Others than you were asked to approve this.",
);
export const AlreadyDecided = failure("already_decided", 409, "You have decided on this before.");

/** Each approval step names its approvers besides. */
export const ApprovalsDecide = permission(
  "approvals:decide",
  "See and decide on approvals that one is asked for",
  EVERYONE,
);
