/** The node types that steer a run, or compute without touching anything outside of it. */
import Type, { type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Config, nodeType } from "./node-type.ts";
import { expression, isTemplate, literalSchema } from "./template.ts";

export const LOOP_ITEMS_MAX = 10_000;
export const LOOP_CONCURRENCY_MAX = 100;
const CASES_MAX = 100;

export const condition = nodeType({
  type: "condition",
  summary: "Goes one of two ways",
  config: object({
    expression: expression("What must be true, such as `trigger.input.total > 100`"),
  }),
  form: {
    title: "If",
    group: "Flow",
    icon: "split",
    first: { expression: "true" },
    fields: { expression: { title: "Is true", placeholder: "trigger.input.total > 100" } },
  },
  output: Type.Boolean(),
  branches: ["true", "false"],
  effect: "pure",
});

export const switchNode = nodeType({
  type: "switch",
  summary: "Goes the way of the case that equals a value, or of `default`",
  config: object({
    expression: expression("The value that is compared, as text, with the cases"),
    cases: literalSchema(
      Type.Array(
        Type.Unsafe<string | number | boolean>({
          type: ["string", "number", "boolean"],
          minLength: 1,
          maxLength: 200,
        }),
        { minItems: 1, maxItems: CASES_MAX },
      ),
    ),
  }),
  form: {
    title: "By case",
    group: "Flow",
    icon: "git-branch",
    first: { expression: "trigger.input.kind", cases: ["one"] },
    fields: {
      expression: { title: "Value", placeholder: "trigger.input.kind" },
      cases: { title: "Cases", example: ["small", "large"] },
    },
  },
  output: Type.Unknown(),
  branchesFrom: "cases",
  branches: (config) => [...casesOf(config), "default"],
  effect: "pure",
  check: checkCases,
});

export const transform = nodeType({
  type: "transform",
  summary: "Computes a value: by an expression, or by an artifact that is a data transformer",
  config: object({
    expression: Type.Optional(expression("Its result is the output")),
    artifactId: Type.Optional(
      line(100, "A data transformer, in the place of an expression; its output is the output"),
    ),
    input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  form: {
    title: "Compute",
    group: "Shape",
    icon: "arrow-left-right",
    first: { expression: "trigger.input" },
    fields: {
      expression: {
        title: "Expression",
        placeholder: "$sum(steps.read.output.total)",
        multiline: true,
      },
      artifactId: { title: "Data transformer", reference: "artifact" },
      input: { title: "Input of the transformer" },
    },
  },
  output: Type.Unknown(),
  branches: "none",
  effect: "pure",
  inFact: ({ artifactId }) =>
    artifactId === undefined ? undefined : { effect: "outside", executedAs: "artifact" },
  check: ({ expression: expressionText, artifactId }) =>
    (expressionText === undefined) === (artifactId === undefined)
      ? [{ path: "/expression", message: "must be there, or artifactId, and not both" }]
      : [],
});

export const set = nodeType({
  type: "set",
  summary: "Makes an object of values and templates",
  config: object({ values: Type.Record(Type.String(), Type.Unknown()) }),
  form: {
    title: "Set values",
    group: "Shape",
    icon: "braces",
    first: { values: {} },
    fields: {
      values: { title: "Values", example: { total: "{{ $sum(trigger.input.lines.price) }}" } },
    },
  },
  output: ({ values }) => Type.Object(shapeOfValues(values)),
  branches: "none",
  effect: "pure",
});

/** Roots of the scope in which expressions are evaluated; an item can't hide them. */
export const SCOPE_NAMES = ["trigger", "steps", "run", "workspace", "environment", "secrets"];

export const loop = nodeType({
  type: "loop",
  summary: "Runs a graph for each item of a list; its output is the list of theirs",
  config: object({
    items: Type.Array(Type.Unknown(), {
      maxItems: LOOP_ITEMS_MAX,
      description: "A template without a value gives no item, one with a single value one item",
    }),
    as: Type.Optional(
      literalSchema(
        Type.String({
          pattern: `^(?!(${SCOPE_NAMES.join("|")}|__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_]{0,63}$`,
          default: "item",
          description: "What expressions in the body call the item",
        }),
      ),
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
    // Only the outline: what is inside is checked like the graph of the workflow itself.
    body: literalSchema(
      object({
        nodes: Type.Array(Type.Unknown(), { minItems: 1, description: "As in the workflow" }),
        edges: Type.Array(Type.Unknown(), { description: "As in the workflow" }),
      }),
    ),
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

export const respond = nodeType({
  type: "respond",
  summary: "Gives the answer of the run, to whoever called and waits for it",
  config: object({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: Type.Optional(Type.Record(Type.String(), text(8_000), { maxProperties: 50 })),
    body: Type.Optional(Type.Unknown()),
  }),
  form: {
    title: "Respond",
    group: "Flow",
    icon: "corner-down-right",
    first: { status: 200, body: {} },
    fields: {
      status: { title: "Status" },
      headers: { title: "Headers" },
      body: { title: "Body", example: { ok: true } },
    },
  },
  output: Type.Object({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Unknown(),
  }),
  branches: "none",
  effect: "pure",
  answers: true,
});

export const fail = nodeType({
  type: "fail",
  summary: "Fails the run",
  config: object({
    message: text(2_000),
    code: Type.Optional(
      line(100, "A word that programs may test for; `failed_by_design` unless given"),
    ),
  }),
  form: {
    title: "Stop with an error",
    group: "Flow",
    icon: "circle-x",
    first: { message: "It can't go on." },
    fields: {
      message: { title: "Message", multiline: true },
      code: { title: "Code", placeholder: "out_of_stock" },
    },
  },
  output: Type.Null(),
  branches: "none",
  effect: "pure",
  alwaysFails: true,
});

/** The fields of a `set`: those that hold no template are known. */
function shapeOfValues(values: unknown): Record<string, TSchema> {
  const entries = Object.entries(Object(values) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOfValue(value)]));
}

function shapeOfValue(value: unknown): TSchema {
  if (typeof value === "number") return Type.Number();
  if (typeof value === "boolean") return Type.Boolean();
  return typeof value === "string" && !isTemplate(value) ? Type.String() : Type.Unknown();
}

function casesOf({ cases }: Config): string[] {
  return Array.isArray(cases) ? cases.map(String) : [];
}

function checkCases(config: Config): FieldError[] {
  const labels = casesOf(config);
  return labels.flatMap((label, index) => {
    const path = `/cases/${index}`;
    if (label === "default" || label === "error") {
      return [{ path, message: "is the name of a branch that every switch has" }];
    }
    return labels.indexOf(label) < index ? [{ path, message: "is there twice" }] : [];
  });
}
