/** The node types that run a graph of their own: more than once, or several parts of it against each other. */
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { listBranches } from "../graph-parts.ts";
import { DURATION_MS_MAX, itemName, LOOP_CONCURRENCY_MAX } from "../definition.ts";
import { nodeType } from "../node-type.ts";
import { expression, literalSchema } from "../template.ts";

export const LOOP_ITEMS_MAX = 10_000;

/** Only the outline: what is inside is checked like the graph of the workflow itself. */
const Body = literalSchema(
  object({
    nodes: Type.Array(Type.Unknown(), { minItems: 1, description: "As in the workflow" }),
    edges: Type.Array(Type.Unknown(), { description: "As in the workflow" }),
  }),
);

export const loop = nodeType({
  type: "loop",
  summary: "Runs a graph for each item of a list; its output is the list of theirs",
  config: object({
    items: Type.Array(Type.Unknown(), {
      maxItems: LOOP_ITEMS_MAX,
      description: "A template without a value gives no item, one with a single value one item",
    }),
    as: Type.Optional(
      literalSchema(itemName("item", "What expressions in the body call the item")),
    ),
    concurrency: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: LOOP_CONCURRENCY_MAX,
          default: 1,
          description: "How many items at a time",
        }),
      ),
    ),
    collect: Type.Optional(
      literalSchema(
        Type.Boolean({
          description:
            "True unless given: the output is the list of the iterations' outputs, 1 MiB at most; without, " +
            "it is `{ count }`",
        }),
      ),
    ),
    body: Body,
  }),
  form: {
    title: "For each",
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
      as: { title: "Name of an item" },
      concurrency: { title: "At a time" },
      collect: { title: "Keep the outputs" },
      body: { title: "Steps" },
    },
  },
  output: ({ collect }) =>
    collect === false
      ? Type.Object({ count: Type.Integer() })
      : Type.Array(Type.Unknown({ description: "The output of one iteration" })),
  branches: "none",
  effect: "pure",
  iterates: true,
});

export const REPEAT_TURNS_MAX = 1_000;

export const repeat = nodeType({
  type: "repeat",
  summary:
    "Runs a graph again and again, until a condition holds; each turn sees what the last one gave",
  config: object({
    until: Type.Optional(
      expression("Ends it when true; sees the steps of the turn, such as `steps.poll.output.done`"),
    ),
    max: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: REPEAT_TURNS_MAX,
          default: 100,
          description: "How many turns at most",
        }),
      ),
    ),
    everyMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DURATION_MS_MAX,
        description: "How long it waits between two turns",
      }),
    ),
    state: Type.Optional(Type.Unknown({ description: "What the first turn sees as `state`" })),
    as: Type.Optional(
      literalSchema(
        itemName("state", "What expressions in the body call the output of the turn before"),
      ),
    ),
    whenExhausted: Type.Optional(
      literalSchema(
        Type.Enum(["fail", "continue"], {
          description: "What follows when the last turn did not end it: `fail` unless given",
        }),
      ),
    ),
    collect: Type.Optional(
      literalSchema(
        Type.Boolean({
          description:
            "The output also has `outputs`, the list of what each turn gave, 1 MiB at most",
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
      max: { title: "Turns at most" },
      everyMs: { title: "Wait between turns", unit: "ms" },
      state: { title: "State at the start", example: { cursor: null } },
      as: { title: "Name of the state" },
      whenExhausted: { title: "After the last turn" },
      collect: { title: "Keep the outputs" },
      body: { title: "Steps" },
    },
  },
  output: ({ collect }) =>
    Type.Object({
      turns: Type.Integer(),
      done: Type.Boolean({ description: "False when it ended after the last turn only" }),
      last: Type.Unknown({ description: "The output of the last turn" }),
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
    "Runs several branches at once: the first that completes wins, and the others are cancelled",
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
          { id: "deadline", type: "delay", name: "Wait a while", config: { ms: 3_600_000 } },
        ],
        edges: [],
      },
    },
    fields: { body: { title: "Branches" } },
  },
  output: Type.Object({
    winner: Type.String({ description: "The id of the first step of the branch that won" }),
    output: Type.Unknown({ description: "What its last step gave" }),
  }),
  branches: "none",
  effect: "pure",
  iterates: true,
  races: true,
  check({ body }) {
    const { nodes, edges } = body as Parameters<typeof listBranches>[0];
    if (listBranches({ nodes, edges }).length > 1) return [];
    return [
      { path: "/body", message: "must have two branches or more, with no edge between them" },
    ];
  },
});

/** The step that a plan adds to each turn of a `repeat`: whether it was the last, and what it gave. */
export const repeatCheck = nodeType({
  type: "repeat_check",
  summary: "Ends a turn of a repeat",
  config: object({
    until: Type.Optional(expression("As in the repeat")),
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
      everyMs: { title: "Wait between turns", unit: "ms" },
      max: { title: "Turns at most" },
      as: { title: "Name of the state" },
      whenExhausted: { title: "After the last turn" },
      sinks: { title: "Steps" },
    },
  },
  output: Type.Object({ done: Type.Boolean(), state: Type.Unknown() }),
  branches: "none",
  effect: "pure",
});

/** The id of that step: no author can give it. */
export const REPEAT_CHECK_ID = "$until";
