/** The node types that wait: for a time, an event, people, or another run. */
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
  summary: "Waits for a time",
  config: object({ ms: Type.Integer({ minimum: 0, maximum: DURATION_MS_MAX }) }),
  form: {
    title: "Wait a while",
    group: "Time",
    icon: "clock",
    first: { ms: 60_000 },
    fields: { ms: { title: "How long", unit: "ms" } },
  },
  output: Type.Null(),
  branches: "none",
  effect: "wait",
});

export const waitForEvent = nodeType({
  type: "wait_for_event",
  summary:
    "Waits for an event on a topic that matches, one that came since the run began included; its output is the event",
  config: object({
    topic: line(TOPIC_CHARACTERS_MAX),
    eventType: Type.Optional(line(PATTERN_CHARACTERS_MAX, "A type or a pattern; without it, any")),
    filter: Type.Optional(ConditionSchema),
    since: Type.Optional(
      Type.Enum(["run", "wait"], {
        description:
          "From when on events count: since the run began (default), or since the step began to wait",
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
      timeoutMs: { title: "At most", unit: "ms" },
    },
  },
  output: EVENT_SHAPE,
  branches: "none",
  effect: "wait",
  check: checkEventMatch,
});

/** The branch of a step that waited for a call in vain. */
export const TIMEOUT_BRANCH = "timeout";

export const waitForCall = nodeType({
  type: "wait_for_call",
  summary:
    "Waits for a request to an address of its own, which `run.resumeUrl` tells from the start of the run; one that " +
    "comes before the step is reached is kept for it",
  config: object({
    methods: Type.Optional(
      literalSchema(
        Type.Array(Type.Enum([...HOOK_METHODS]), {
          minItems: 1,
          uniqueItems: true,
          description: "`POST` unless given; programs that preview links follow those of `GET`",
        }),
      ),
    ),
    schema: Type.Optional(
      literalSchema(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "A JSON Schema of the body; another one is refused with a 422",
        }),
      ),
    ),
    response: Type.Optional(
      literalSchema(
        object({
          status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
          headers: Type.Optional(Type.Record(Type.String(), line(2_000))),
          body: Type.Optional(Type.Unknown({ description: "A text, or JSON" })),
        }),
      ),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DURATION_MS_MAX,
        description:
          "How long it waits; then the edges with `when: timeout` are taken, or without such the step fails",
      }),
    ),
  }),
  form: {
    title: "Wait for a call",
    group: "Time",
    icon: "phone-incoming",
    first: { timeoutMs: 86_400_000 },
    fields: {
      methods: { title: "Methods" },
      schema: {
        title: "Schema of the body",
        example: { type: "object", required: ["approved"] },
      },
      response: { title: "Answer", example: { status: 200, body: "Thank you." } },
      timeoutMs: { title: "At most", unit: "ms" },
    },
  },
  output: Type.Object({
    body: Type.Unknown({ description: "JSON and forms as values, files as handles, else text" }),
    query: Type.Record(Type.String(), Type.Unknown()),
    headers: Type.Record(Type.String(), Type.String()),
    method: Type.String(),
    receivedAt: Type.String(),
    timedOut: Type.Optional(
      Type.Boolean({ description: "True, and nothing else, after the time" }),
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
  summary: "Waits until people have approved or rejected",
  config: object({
    approvers: Type.Array(line(200), {
      minItems: 1,
      maxItems: APPROVERS_MAX,
      description: "Ids of users and of roles, any of whose members will do",
    }),
    quorum: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: APPROVERS_MAX,
        default: 1,
        description: "How many must approve; one who rejects decides",
      }),
    ),
    message: Type.Optional(text(10_000)),
    expiresMs: Type.Optional(Duration),
  }),
  form: {
    title: "Ask for approval",
    group: "People",
    icon: "user-check",
    first: { approvers: ["owner"], message: "" },
    fields: {
      approvers: { title: "Approvers", reference: "approver" },
      quorum: { title: "How many must approve" },
      message: { title: "Message", placeholder: "Ship {{ trigger.input.id }}?", multiline: true },
      expiresMs: { title: "Expires after", unit: "ms" },
    },
  },
  output: Type.Object({
    approved: Type.Boolean(),
    data: Type.Unknown({ description: "What the last who decided added" }),
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
  summary:
    "Runs another workflow and waits for it, if asked to; its output is the result of that run",
  config: object({
    workflowId: Type.Optional(line(100)),
    workflow: Type.Optional(
      line(200, "Its name, in the place of the id; one workflow alone must have it"),
    ),
    input: Type.Optional(Type.Unknown()),
    wait: Type.Optional(
      literalSchema(
        Type.Boolean({
          description:
            "True unless given; without, the output is `{ runId }`, and the run goes its own way",
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
      workflow: { title: "Or by name", placeholder: "Ship an order" },
      input: { title: "Input", example: { order: "{{ trigger.input }}" } },
      wait: { title: "Wait for its end" },
    },
  },
  output: ({ wait }) =>
    wait === false
      ? Type.Object({ runId: Type.String() })
      : Type.Unknown({ description: "What the other workflow responds" }),
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
                ? "is required, or workflow"
                : "and workflow exclude each other",
          },
        ]
      : [],
});
