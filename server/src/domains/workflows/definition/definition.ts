import Type, { type Static } from "typebox";
import { id, line, object, text } from "#kernel/schema/schema.ts";
import { NODE_ID } from "./node-id.ts";
import { Trigger } from "./trigger.ts";

export { NODE_ID } from "./node-id.ts";

/** Limits per definition, including loop bodies. */
export const NODES_MAX = 500;
export const EDGES_MAX = 2_000;
/** Maximum depth of nested loops. */
export const NESTING_MAX = 5;
export const BACKOFF_MS_MAX = 3_600_000;
/** Maximum length of any wait. */
export const DURATION_MS_MAX = 366 * 86_400_000;

export const TRIGGERS_MAX = 20;

const NodeId = Type.String({ pattern: NODE_ID, description: "Unique key of the step" });

export const Retry = object({
  maxAttempts: Type.Integer({
    minimum: 1,
    maximum: 20,
    description: "Number of attempts, including the first",
  }),
  backoffMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: BACKOFF_MS_MAX, description: "Default: 1000" }),
  ),
  strategy: Type.Optional(
    Type.Enum(["fixed", "exponential"], {
      description:
        "`exponential` (default) doubles the wait after each attempt, up to one hour. A longer `Retry-After` takes precedence",
    }),
  ),
  statuses: Type.Optional(
    Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), {
      maxItems: 50,
      description: "Additional status codes to retry. 408, 425, 429 and 5xx are always retried",
    }),
  ),
});
export type Retry = Static<typeof Retry>;

export const OnError = Type.Enum(["fail", "continue", "branch"], {
  description:
    "When all attempts have failed: the run fails (default), continues with the output null, or follows the edges with `when: error`",
});
export type OnError = Static<typeof OnError>;

export const LOOP_CONCURRENCY_MAX = 100;

/** Root names of the expression scope. An item name cannot shadow them. */
export const SCOPE_NAMES = [
  "trigger",
  "steps",
  "run",
  "workspace",
  "environment",
  "secrets",
  "variables",
];

/** The name with which expressions read the value of the current iteration. */
export function itemName(name: string, description: string) {
  return Type.String({
    pattern: `^(?!(${SCOPE_NAMES.join("|")}|__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_]{0,63}$`,
    default: name,
    description,
  });
}

/** Runs a node for every item in a list. */
export const ForEach = object({
  items: Type.Unknown({
    description: "A list, or a template for a list: `{{ steps.read.output }}`",
  }),
  as: Type.Optional(itemName("item", "Name of the item in expressions of the node")),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LOOP_CONCURRENCY_MAX,
      description: "Maximum number of concurrent items. Default: 1",
    }),
  ),
  ratePerSecond: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1_000,
      description: "Maximum number of items to start per second, within one run",
    }),
  ),
  collect: Type.Optional(
    Type.Boolean({
      description:
        "Default: true, and the output is the list of outputs. If false, the output is `{ count }`",
    }),
  ),
});
export type ForEach = Static<typeof ForEach>;

const Note = text(2_000, "Note for editors; it has no effect on runs");
const TAGS_MAX = 20;

/** A word for finding workflows. */
export const Tag = Type.String({
  pattern: "^[^\\s,]([^,\\u0000-\\u001f]{0,48}[^\\s,])?$",
  description: "Tag without commas",
});

/** A node of a workflow. Its type determines the fields of `config`. */
export const Node = object(
  {
    id: NodeId,
    type: line(100, "A node type from `GET /api/v1/workflows/node-types`"),
    name: Type.Optional(line(200)),
    config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    retry: Type.Optional(Retry),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DURATION_MS_MAX,
        description: "Timeout of each attempt",
      }),
    ),
    onError: Type.Optional(OnError),
    forEach: Type.Optional(ForEach),
    start: Type.Optional(
      Type.Boolean({
        description:
          "`false`: the node does not run without an incoming edge. By default, nodes without incoming edges run first (in a workflow and in a loop body)",
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
        "Follows the edge only for this branch: `true` or `false`, a case or `default`, `approved` or `rejected`, `error`. Booleans and numbers are converted to strings",
      ),
    ),
  },
  { title: "WorkflowEdge" },
);
export type Edge = Static<typeof Edge>;

/** The nodes and edges of a workflow or a loop body. */
export interface GraphDefinition {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The fields of a definition; request and response schemas use them. */
export const definitionFields = {
  name: line(200),
  description: Type.Optional(text(10_000)),
  note: Type.Optional(Note),
  tags: Type.Optional(Type.Array(Tag, { maxItems: TAGS_MAX, uniqueItems: true })),
  trigger: Trigger,
  triggers: Type.Optional(
    Type.Array(Trigger, {
      maxItems: TRIGGERS_MAX,
      description: "Additional triggers, each with an `id`",
    }),
  ),
  nodes: Type.Array(Node, { maxItems: NODES_MAX }),
  edges: Type.Array(Edge, { maxItems: EDGES_MAX }),
  maxConcurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "Maximum number of concurrent runs. Further runs are queued",
    }),
  ),
  concurrencyKey: Type.Optional(
    line(1_000, "A template. `maxConcurrency` then applies to runs with the same result"),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "Timeout of the whole run" }),
  ),
  errorWorkflowId: Type.Optional(id("wf", "Workflow to start with the error when a run fails")),
};

/** A workflow as written by its author. See `checkDefinition` for the rules not in the schema. */
export const Definition = object(definitionFields, { title: "WorkflowDefinition" });
export type Definition = Static<typeof Definition>;
