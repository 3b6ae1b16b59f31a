/** The node types that control a run, or compute without effects. */
import Type, { type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Config, nodeType } from "../node-type.ts";
import { expression, isTemplate, literalSchema } from "../template.ts";

const CASES_MAX = 100;

export const condition = nodeType({
  type: "condition",
  summary: "Follows one of two branches, depending on a condition",
  config: object({
    expression: expression("Condition, such as `trigger.input.total > 100`"),
  }),
  form: {
    title: "If",
    group: "Flow",
    icon: "split",
    first: { expression: "true" },
    fields: { expression: { title: "Condition", placeholder: "trigger.input.total > 100" } },
  },
  output: Type.Boolean(),
  branches: ["true", "false"],
  effect: "pure",
});

export const switchNode = nodeType({
  type: "switch",
  summary: "Follows the branch of the case that equals a value, or `default`",
  config: object({
    expression: expression("The value to compare with the cases, as a string"),
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
    title: "Switch",
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
  summary: "Calculates a value with an expression or a data transformer",
  config: object({
    expression: Type.Optional(expression("The result is the output")),
    artifactId: Type.Optional(
      line(
        100,
        "A data transformer instead of an expression. Its output is the output of the step",
      ),
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
      ? [
          {
            path: "/expression",
            message: "is required without artifactId, and can't be combined with it",
          },
        ]
      : [],
});

export const set = nodeType({
  type: "set",
  summary: "Creates an object from values and templates",
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

const KEYS_MAX = 10;

export const merge = nodeType({
  type: "merge",
  summary: "Merges several lists by appending them, by position or by key",
  config: object({
    mode: literalSchema(
      Type.Enum(["append", "by_key", "by_position", "all_pairs"], {
        description:
          "`append`: one list after the other. `by_key`: joins objects of two lists with equal keys. `by_position`: joins items with the same index. `all_pairs`: joins every item with every item",
      }),
    ),
    lists: Type.Array(
      Type.Unknown({ description: "A list. A single value is a list with one item" }),
      {
        minItems: 1,
        maxItems: 10,
      },
    ),
    keys: Type.Optional(
      Type.Array(line(200, "A field of both, or `left = right`; dots lead into objects"), {
        minItems: 1,
        maxItems: KEYS_MAX,
        description: "For `by_key`",
      }),
    ),
    join: Type.Optional(
      literalSchema(
        Type.Enum(["inner", "left", "right", "outer", "unmatched_left", "unmatched_both"], {
          description: "For `by_key`: the objects to keep. Default: `inner`, objects with a match",
        }),
      ),
    ),
    prefer: Type.Optional(
      literalSchema(
        Type.Enum(["left", "right"], {
          description: "The value to use if both objects have the same field. Default: `right`",
        }),
      ),
    ),
  }),
  form: {
    title: "Merge lists",
    group: "Shape",
    icon: "merge",
    first: { mode: "by_key", lists: ["{{ [] }}", "{{ [] }}"], keys: ["id"] },
    fields: {
      mode: { title: "Mode" },
      lists: { title: "Lists", example: ["{{ steps.a.output }}", "{{ steps.b.output }}"] },
      keys: { title: "Keys", example: ["id", "email = contact.email"], when: { mode: ["by_key"] } },
      join: { title: "Keep", when: { mode: ["by_key"] } },
      prefer: {
        title: "Fields in both",
        when: { mode: ["by_key", "by_position", "all_pairs"] },
      },
    },
  },
  output: Type.Array(Type.Unknown()),
  branches: "none",
  effect: "pure",
  check: ({ mode, keys, lists }) => [
    ...(mode === "by_key" && keys === undefined
      ? [{ path: "/keys", message: "is required to merge by key" }]
      : []),
    ...(mode !== "append" && Array.isArray(lists) && lists.length !== 2
      ? [{ path: "/lists", message: "must have two items" }]
      : []),
  ],
});

export const respond = nodeType({
  type: "respond",
  summary: "Returns the response of the run to a caller that waits for it",
  config: object({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: Type.Optional(Type.Record(Type.String(), text(8_000), { maxProperties: 50 })),
    body: Type.Optional(Type.Unknown()),
    file: Type.Optional(
      Type.Unknown({
        description:
          "A file instead of the body, such as `{{ steps.make.output }}`. Browsers show images and text, and download other files",
      }),
    ),
  }),
  form: {
    title: "Respond to webhook",
    group: "Flow",
    icon: "corner-down-right",
    first: { status: 200, body: {} },
    fields: {
      status: { title: "Status" },
      headers: { title: "Headers" },
      body: { title: "Body", example: { ok: true } },
      file: { title: "File" },
    },
  },
  output: Type.Object({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Unknown(),
    file: Type.Optional(Type.Unknown({ description: "The response" })),
  }),
  branches: "none",
  effect: "pure",
  answers: true,
  check: ({ body, file }) =>
    body !== undefined && file !== undefined
      ? [{ path: "/file", message: "can't be combined with a body" }]
      : [],
});

export const fail = nodeType({
  type: "fail",
  summary: "Fails the run",
  config: object({
    message: text(2_000),
    code: Type.Optional(line(100, "Error code for programs. Default: `failed_by_design`")),
  }),
  form: {
    title: "Stop with an error",
    group: "Flow",
    icon: "circle-x",
    first: { message: "The order can't be processed." },
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

/** The fields of a `set` node: values without templates have a known type. */
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
      return [{ path, message: "is a reserved branch name" }];
    }
    return labels.indexOf(label) < index ? [{ path, message: "appears twice" }] : [];
  });
}
