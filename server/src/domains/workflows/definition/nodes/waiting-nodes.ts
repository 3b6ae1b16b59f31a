/** Node types waiting for a time, an event, a person or another run. */
import Type from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { findUncheckedKeywords } from "#kernel/schema/json-schema-check.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { DURATION_MS_MAX } from "../definition.ts";
import { nodeType } from "../node-type.ts";
import { HOOK_METHODS } from "../triggers/inbound-triggers.ts";
import { literalSchema } from "../template.ts";
import { checkEventMatch, EVENT_SHAPE, TOPIC_CHARACTERS_MAX } from "../trigger.ts";

const APPROVERS_MAX = 100;

const Duration = Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX });

export const delay = nodeType({
  type: "delay",
  summary: "Waits for a duration",
  config: object({ ms: Type.Integer({ minimum: 0, maximum: DURATION_MS_MAX }) }),
  form: {
    title: "Wait",
    group: "Time",
    icon: "clock",
    first: { ms: 60_000 },
    fields: { ms: { title: "Duration", unit: "ms" } },
  },
  output: Type.Null(),
  branches: "none",
  effect: "wait",
});

export const waitForEvent = nodeType({
  type: "wait_for_event",
  summary:
    "Waits for an event on a topic that matches. Events since the start of the run also match. The output is the event",
  config: object({
    topic: line(TOPIC_CHARACTERS_MAX),
    eventType: Type.Optional(
      line(PATTERN_CHARACTERS_MAX, "An event type or a pattern. Default: any type"),
    ),
    filter: Type.Optional(ConditionSchema),
    since: Type.Optional(
      Type.Enum(["run", "wait"], {
        description:
          "Which events match: events since the start of the run (default), or since the start of the step",
      }),
    ),
    timeoutMs: Type.Optional(Duration),
  }),
  form: {
    title: "Wait for an event",
    group: "Time",
    icon: "hourglass",
    first: { topic: "" },
    fields: {
      topic: { title: "Topic", placeholder: "orders", reference: "topic" },
      eventType: { title: "Type", placeholder: "order.shipped", reference: "event_type" },
      filter: { title: "Filter", example: { "data.order": "{{ trigger.input.id }}" } },
      since: { title: "Since" },
      timeoutMs: { title: "Timeout", unit: "ms" },
    },
  },
  output: EVENT_SHAPE,
  branches: "none",
  effect: "wait",
  check: checkEventMatch,
});

/** The branch of a step whose wait for a call timed out. */
export const TIMEOUT_BRANCH = "timeout";

export const waitForCall = nodeType({
  type: "wait_for_call",
  summary:
    "Waits for an HTTP request to its own URL, which `run.resumeUrl` contains from the start of the run. A request that arrives before the step starts is stored for it",
  config: object({
    methods: Type.Optional(
      literalSchema(
        Type.Array(Type.Enum([...HOOK_METHODS]), {
          minItems: 1,
          uniqueItems: true,
          description: "Default: `POST`. Programs that preview links open `GET` URLs",
        }),
      ),
    ),
    schema: Type.Optional(
      literalSchema(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "JSON Schema of the body. Other bodies are rejected with 422",
        }),
      ),
    ),
    response: Type.Optional(
      literalSchema(
        object({
          status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
          headers: Type.Optional(Type.Record(Type.String(), line(2_000))),
          body: Type.Optional(Type.Unknown({ description: "A string or JSON" })),
        }),
      ),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DURATION_MS_MAX,
        description:
          "Timeout. Then the run follows the edges with `when: timeout`; without such an edge, the step fails",
      }),
    ),
  }),
  form: {
    title: "Wait for a request",
    group: "Time",
    icon: "phone-incoming",
    first: { timeoutMs: 86_400_000 },
    fields: {
      methods: { title: "Methods" },
      schema: {
        title: "Body schema",
        example: { type: "object", required: ["approved"] },
      },
      response: { title: "Response", example: { status: 200, body: "Thank you." } },
      timeoutMs: { title: "Timeout", unit: "ms" },
    },
  },
  output: Type.Object({
    body: Type.Unknown({
      description: "JSON and forms as values, files as handles, other content as a string",
    }),
    query: Type.Record(Type.String(), Type.Unknown()),
    headers: Type.Record(Type.String(), Type.String()),
    method: Type.String(),
    receivedAt: Type.String(),
    timedOut: Type.Optional(
      Type.Boolean({
        description: "True if the timeout was reached. Then other fields are missing",
      }),
    ),
  }),
  branches: ["called", TIMEOUT_BRANCH],
  aside: [TIMEOUT_BRANCH],
  takesCalls: true,
  effect: "wait",
  check: ({ schema }) => (schema === undefined ? [] : findUncheckedKeywords(schema, "/schema")),
});

export const approval = nodeType({
  type: "approval",
  summary: "Waits until approvers approve or reject",
  config: object({
    approvers: Type.Array(line(200), {
      minItems: 1,
      maxItems: APPROVERS_MAX,
      description: "Ids of users and roles. Any member of a role can decide",
    }),
    quorum: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: APPROVERS_MAX,
        default: 1,
        description: "Number of required approvals. One rejection is enough to reject",
      }),
    ),
    message: Type.Optional(text(10_000)),
    expiresMs: Type.Optional(Duration),
  }),
  form: {
    title: "Request approval",
    group: "People",
    icon: "user-check",
    first: { approvers: ["owner"], message: "" },
    fields: {
      approvers: { title: "Approvers", reference: "approver" },
      quorum: { title: "Required approvals" },
      message: { title: "Message", placeholder: "Ship {{ trigger.input.id }}?", multiline: true },
      expiresMs: { title: "Expires after", unit: "ms" },
    },
  },
  output: Type.Object({
    approved: Type.Boolean(),
    data: Type.Unknown({ description: "Comment of the last approver" }),
    decisions: Type.Array(
      Type.Object({
        userId: Type.String(),
        name: Type.String(),
        approved: Type.Boolean(),
        comment: Type.Optional(Type.String()),
        at: Type.String(),
      }),
    ),
  }),
  branches: ["approved", "rejected"],
  effect: "wait",
});

export const subworkflow = nodeType({
  type: "subworkflow",
  summary: "Runs another workflow, and can wait for its end. The output is the result of the run",
  config: object({
    workflowId: Type.Optional(line(100)),
    workflow: Type.Optional(
      line(200, "Name of the workflow instead of its id. The name must be unique"),
    ),
    input: Type.Optional(Type.Unknown()),
    wait: Type.Optional(
      literalSchema(
        Type.Boolean({
          description:
            "Default: true. If false, the output is `{ runId }`, and the run continues independently",
        }),
      ),
    ),
  }),
  form: {
    title: "Run a workflow",
    group: "Workflows",
    icon: "workflow",
    first: { workflowId: "" },
    fields: {
      workflowId: { title: "Workflow", reference: "workflow" },
      workflow: { title: "Workflow name", placeholder: "Ship an order" },
      input: { title: "Input", example: { order: "{{ trigger.input }}" } },
      wait: { title: "Wait for the end" },
    },
  },
  output: ({ wait }) =>
    wait === false
      ? Type.Object({ runId: Type.String() })
      : Type.Unknown({ description: "Response of the other workflow" }),
  branches: "none",
  effect: "outside",
  inside: true,
  check: ({ workflowId, workflow }) =>
    (workflowId === undefined) === (workflow === undefined)
      ? [
          {
            path: "/workflowId",
            message:
              workflow === undefined
                ? "is required without a workflow"
                : "and workflow exclude each other",
          },
        ]
      : [],
});
