/** The node types that wait: for a time, an event, people, or another run. */
import Type from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { DURATION_MS_MAX } from "../definition.ts";
import { nodeType } from "../node-type.ts";
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
    workflowId: line(100),
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
});
