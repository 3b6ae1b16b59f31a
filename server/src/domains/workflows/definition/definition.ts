import Type, { type Static } from "typebox";
import { id, line, object, text } from "#kernel/schema/schema.ts";
import { NODE_ID } from "./node-id.ts";
import { Trigger } from "./trigger.ts";

export { NODE_ID } from "./node-id.ts";

/** Bounds of one definition, the bodies of its loops included. */
export const NODES_MAX = 500;
export const EDGES_MAX = 2_000;
/** Loops within loops. */
export const NESTING_MAX = 5;
export const BACKOFF_MS_MAX = 3_600_000;
/** The longest that anything may wait. */
export const DURATION_MS_MAX = 366 * 86_400_000;

export const TRIGGERS_MAX = 20;

const NodeId = Type.String({ pattern: NODE_ID, description: "Unique; steps are named by it" });

export const Retry = object({
  maxAttempts: Type.Integer({ minimum: 1, maximum: 20, description: "The first one included" }),
  backoffMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: BACKOFF_MS_MAX, description: "1000 unless given" }),
  ),
  strategy: Type.Optional(
    Type.Enum(["fixed", "exponential"], {
      description:
        "`exponential`, the default, doubles the wait each time, up to an hour; a longer " +
        "`Retry-After` is honoured",
    }),
  ),
  statuses: Type.Optional(
    Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), {
      maxItems: 50,
      description: "Refusals that are retried too, besides 408, 425, 429 and all from 500 on",
    }),
  ),
});
export type Retry = Static<typeof Retry>;

export const OnError = Type.Enum(["fail", "continue", "branch"], {
  description:
    "What follows when the last attempt failed: the run fails (default), goes on as if the step " +
    "had completed with null, or takes the edges with `when: error`",
});
export type OnError = Static<typeof OnError>;

export const LOOP_CONCURRENCY_MAX = 100;

/** Roots of the scope in which expressions are evaluated; an item can't hide them. */
export const SCOPE_NAMES = [
  "trigger",
  "steps",
  "run",
  "workspace",
  "environment",
  "secrets",
  "variables",
];

/** The name by which expressions read what is different in each iteration. */
export function itemName(name: string, description: string) {
  return Type.String({
    pattern: `^(?!(${SCOPE_NAMES.join("|")}|__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_]{0,63}$`,
    default: name,
    description,
  });
}

/** A node that is done for each member of a list. */
export const ForEach = object({
  items: Type.Unknown({
    description: "A list, or a template that gives one: `{{ steps.read.output }}`",
  }),
  as: Type.Optional(itemName("item", "What expressions of the node call the item")),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LOOP_CONCURRENCY_MAX,
      description: "How many items at a time; 1 unless given",
    }),
  ),
  ratePerSecond: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1_000,
      description: "How many items a second at most begin, within one run",
    }),
  ),
  collect: Type.Optional(
    Type.Boolean({
      description:
        "True unless given: the output is the list of outputs; without, it is `{ count }`",
    }),
  ),
});
export type ForEach = Static<typeof ForEach>;

const Note = text(2_000, "For people: runs ignore it");
const TAGS_MAX = 20;

/** A word by which workflows are found. */
export const Tag = Type.String({
  pattern: "^[^\\s,]([^,\\u0000-\\u001f]{0,48}[^\\s,])?$",
  description: "Without commas",
});

/** A node of a workflow; its type decides on the fields of its `config`. */
export const Node = object(
  {
    id: NodeId,
    type: line(100, "One of those that `GET /api/v1/workflows/node-types` lists"),
    name: Type.Optional(line(200)),
    config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    retry: Type.Optional(Retry),
    timeoutMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "Of each attempt" }),
    ),
    onError: Type.Optional(OnError),
    forEach: Type.Optional(ForEach),
    start: Type.Optional(
      Type.Boolean({
        description:
          "`false`: does not run while no edge leads to it. By default a node without incoming edges " +
          "runs first, in a workflow and in the body of a loop",
      }),
    ),
    note: Type.Optional(Note),
  },
  { title: "WorkflowNode" },
);
export type Node = Static<typeof Node>;

export const Edge = object(
  {
    from: Type.String({ pattern: NODE_ID }),
    to: Type.String({ pattern: NODE_ID }),
    when: Type.Optional(
      line(
        200,
        "Only after this branch: `true` or `false`, a case or `default`, `approved` or `rejected`, " +
          "`error`. A boolean or a number is taken for its text",
      ),
    ),
  },
  { title: "WorkflowEdge" },
);
export type Edge = Static<typeof Edge>;

/** Nodes and the edges between them: a whole workflow, or the body of a loop. */
export interface GraphDefinition {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The fields of a definition, from which request and response schemas are made. */
export const definitionFields = {
  name: line(200),
  description: Type.Optional(text(10_000)),
  note: Type.Optional(Note),
  tags: Type.Optional(Type.Array(Tag, { maxItems: TAGS_MAX, uniqueItems: true })),
  trigger: Trigger,
  triggers: Type.Optional(
    Type.Array(Trigger, {
      maxItems: TRIGGERS_MAX,
      description: "Further triggers, each with an `id` of its own",
    }),
  ),
  nodes: Type.Array(Node, { maxItems: NODES_MAX }),
  edges: Type.Array(Edge, { maxItems: EDGES_MAX }),
  maxConcurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: "Runs at a time; the rest queue" }),
  ),
  concurrencyKey: Type.Optional(
    line(1_000, "A template: `maxConcurrency` then counts runs with the same result"),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "Of a whole run" }),
  ),
  errorWorkflowId: Type.Optional(id("wf", "Started with the error when a run fails")),
};

/** A workflow as its author writes it. `checkDefinition` knows what a schema can't say. */
export const Definition = object(definitionFields, { title: "WorkflowDefinition" });
export type Definition = Static<typeof Definition>;
