/** The node types that wait: for a time, an event, people, or another run. */
import Type from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { DURATION_MS_MAX } from "./definition.ts";
import { nodeType } from "./node-type.ts";
import { checkEventMatch, TOPIC_CHARACTERS_MAX } from "./trigger.ts";

const APPROVERS_MAX = 100;

const Duration = Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX });

export const delay = nodeType({
  type: "delay",
  summary: "Waits for a time",
  config: object({ ms: Type.Integer({ minimum: 0, maximum: DURATION_MS_MAX }) }),
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
  branches: ["approved", "rejected"],
  effect: "wait",
});

export const subworkflow = nodeType({
  type: "subworkflow",
  summary: "Runs another workflow and waits for it; its output is the result of that run",
  config: object({ workflowId: line(100), input: Type.Optional(Type.Unknown()) }),
  branches: "none",
  effect: "outside",
  inside: true,
});
