/** The node types that contain a graph and run it repeatedly, or run its parts as a race. */
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { listBranches } from "../graph-parts.ts";
import { DURATION_MS_MAX, itemName, LOOP_CONCURRENCY_MAX } from "../definition.ts";
import { nodeType } from "../node-type.ts";
import { expression, literalSchema } from "../template.ts";

export const LOOP_ITEMS_MAX = 10_000;

/** Only the outline: the body is checked like the graph of a workflow. */
const Body = literalSchema(
  object({
    nodes: Type.Array(Type.Unknown(), { minItems: 1, description: "Same as in the workflow" }),
    edges: Type.Array(Type.Unknown(), { description: "Same as in the workflow" }),
  }),
);

export const loop = nodeType({
  type: "loop",
  summary: "Runs a graph for each item of a list. The output is the list of the outputs",
  config: object({
    items: Type.Array(Type.Unknown(), {
      maxItems: LOOP_ITEMS_MAX,
      description:
        "A template without a value gives no items, a template with a single value gives one item",
    }),
    as: Type.Optional(
      literalSchema(itemName("item", "Name of the item in expressions of the body")),
    ),
    concurrency: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: LOOP_CONCURRENCY_MAX,
          default: 1,
          description: "Maximum number of concurrent items",
        }),
      ),
    ),
    collect: Type.Optional(
      literalSchema(
        Type.Boolean({
          description:
            "Default: true, and the output is the list of the outputs, at most 1 MiB. If false, the output is `{ count }`",
        }),
      ),
    ),
    body: Body,
  }),
  form: {
    title: "Loop over items",
    group: "Flow",
    icon: "repeat",
    first: {
      items: "{{ trigger.input.items }}",
      as: "item",
      body: {
        nodes: [{ id: "each_item", type: "set", name: "Set values", config: { values: {} } }],
        edges: [],
      },
    },
    fields: {
      items: { title: "Items", placeholder: "{{ steps.read.output }}" },
      as: { title: "Item name" },
      concurrency: { title: "Concurrency" },
      collect: { title: "Collect outputs" },
      body: { title: "Steps" },
    },
  },
  output: ({ collect }) =>
    collect === false
      ? Type.Object({ count: Type.Integer() })
      : Type.Array(Type.Unknown({ description: "Output of one iteration" })),
  branches: "none",
  effect: "pure",
  iterates: true,
});

export const REPEAT_TURNS_MAX = 1_000;

export const repeat = nodeType({
  type: "repeat",
  summary:
    "Runs a graph repeatedly until a condition is true. Each iteration can use the output of the previous one",
  config: object({
    until: Type.Optional(
      expression(
        "The loop ends when this expression is true. It can use the steps of the iteration, such as `steps.poll.output.done`",
      ),
    ),
    max: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: REPEAT_TURNS_MAX,
          default: 100,
          description: "Maximum number of iterations",
        }),
      ),
    ),
    everyMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DURATION_MS_MAX,
        description: "Wait between two iterations",
      }),
    ),
    state: Type.Optional(Type.Unknown({ description: "Value of `state` in the first iteration" })),
    as: Type.Optional(
      literalSchema(
        itemName(
          "state",
          "Name of the output of the previous iteration in expressions of the body",
        ),
      ),
    ),
    whenExhausted: Type.Optional(
      literalSchema(
        Type.Enum(["fail", "continue"], {
          description:
            "When the condition is still false after the last iteration. Default: `fail`",
        }),
      ),
    ),
    collect: Type.Optional(
      literalSchema(
        Type.Boolean({
          description: "Adds `outputs`, the list of the outputs of all iterations, at most 1 MiB",
        }),
      ),
    ),
    body: Body,
  }),
  form: {
    title: "Repeat",
    group: "Flow",
    icon: "refresh-cw",
    first: {
      until: "state.done",
      max: 10,
      everyMs: 1_000,
      body: {
        nodes: [{ id: "each_turn", type: "set", name: "Set values", config: { values: {} } }],
        edges: [],
      },
    },
    fields: {
      until: { title: "Until", placeholder: "steps.poll.output.body.status = 'done'" },
      max: { title: "Maximum iterations" },
      everyMs: { title: "Wait between iterations", unit: "ms" },
      state: { title: "Initial state", example: { cursor: null } },
      as: { title: "State name" },
      whenExhausted: { title: "After the last iteration" },
      collect: { title: "Collect outputs" },
      body: { title: "Steps" },
    },
  },
  output: ({ collect }) =>
    Type.Object({
      turns: Type.Integer(),
      done: Type.Boolean({
        description: "False if the loop ended because of the maximum number of iterations",
      }),
      last: Type.Unknown({ description: "Output of the last iteration" }),
      ...(collect === true && { outputs: Type.Array(Type.Unknown()) }),
    }),
  branches: "none",
  effect: "pure",
  iterates: true,
  repeats: true,
  names: { until: ["state", "index"] },
});

export const race = nodeType({
  type: "race",
  summary:
    "Runs several branches at the same time. The first completed branch wins, and the others are cancelled",
  config: object({ body: Body }),
  form: {
    title: "Race",
    group: "Flow",
    icon: "flag",
    first: {
      body: {
        nodes: [
          {
            id: "answer",
            type: "wait_for_event",
            name: "Wait for an event",
            config: { topic: "" },
          },
          { id: "deadline", type: "delay", name: "Wait", config: { ms: 3_600_000 } },
        ],
        edges: [],
      },
    },
    fields: { body: { title: "Branches" } },
  },
  output: Type.Object({
    winner: Type.String({ description: "Id of the first step of the winning branch" }),
    output: Type.Unknown({ description: "Output of its last step" }),
  }),
  branches: "none",
  effect: "pure",
  iterates: true,
  races: true,
  check({ body }) {
    const { nodes, edges } = body as Parameters<typeof listBranches>[0];
    if (listBranches({ nodes, edges }).length > 1) return [];
    return [
      { path: "/body", message: "must have at least two branches without an edge between them" },
    ];
  },
});

/**
 * The step added to a `repeat` body by the plan. Decides if the iteration was the last one and returns the
 * output.
 */
export const repeatCheck = nodeType({
  type: "repeat_check",
  summary: "Ends an iteration of a loop",
  config: object({
    until: Type.Optional(expression("Same as in the loop")),
    everyMs: Type.Optional(Type.Unknown()),
    max: literalSchema(Type.Integer()),
    as: literalSchema(Type.String()),
    whenExhausted: literalSchema(Type.String()),
    sinks: literalSchema(Type.Array(Type.String())),
  }),
  form: {
    title: "Until",
    group: "Flow",
    icon: "refresh-cw",
    first: { max: 1, as: "state", whenExhausted: "fail", sinks: [] },
    fields: {
      until: { title: "Until" },
      everyMs: { title: "Wait between iterations", unit: "ms" },
      max: { title: "Maximum iterations" },
      as: { title: "State name" },
      whenExhausted: { title: "After the last iteration" },
      sinks: { title: "Steps" },
    },
  },
  output: Type.Object({ done: Type.Boolean(), state: Type.Unknown() }),
  branches: "none",
  effect: "pure",
});

/** The id of that step. Authors cannot use it. */
export const REPEAT_CHECK_ID = "$until";
