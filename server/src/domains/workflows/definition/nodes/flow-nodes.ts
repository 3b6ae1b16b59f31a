/** The node types that steer a run, or compute without touching anything outside of it. */
import Type, { type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Config, nodeType } from "../node-type.ts";
import { expression, isTemplate, literalSchema } from "../template.ts";

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

const KEYS_MAX = 10;

export const merge = nodeType({
  type: "merge",
  summary:
    "Makes one list of several: one after the other, side by side, or by the keys that they share",
  config: object({
    mode: literalSchema(
      Type.Enum(["append", "by_key", "by_position", "all_pairs"], {
        description:
          "`append` puts them one after the other; `by_key` joins the objects of two lists whose keys are equal, " +
          "`by_position` those at one place, `all_pairs` each with each",
      }),
    ),
    lists: Type.Array(Type.Unknown({ description: "A list; one value is a list of one" }), {
      minItems: 1,
      maxItems: 10,
    }),
    keys: Type.Optional(
      Type.Array(line(200, "A field of both, or `left = right`; dots lead into objects"), {
        minItems: 1,
        maxItems: KEYS_MAX,
        description: "Of `by_key`",
      }),
    ),
    join: Type.Optional(
      literalSchema(
        Type.Enum(["inner", "left", "right", "outer", "unmatched_left", "unmatched_both"], {
          description:
            "Of `by_key`: which objects are kept; `inner`, those with a partner, unless given",
        }),
      ),
    ),
    prefer: Type.Optional(
      literalSchema(
        Type.Enum(["left", "right"], {
          description: "Which value a field has that both have; `right` unless given",
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
      mode: { title: "How" },
      lists: { title: "Lists", example: ["{{ steps.a.output }}", "{{ steps.b.output }}"] },
      keys: { title: "Keys", example: ["id", "email = contact.email"], when: { mode: ["by_key"] } },
      join: { title: "Keep", when: { mode: ["by_key"] } },
      prefer: {
        title: "Fields that both have",
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
      ? [{ path: "/lists", message: "must be two" }]
      : []),
  ],
});

export const respond = nodeType({
  type: "respond",
  summary: "Gives the answer of the run, to whoever called and waits for it",
  config: object({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: Type.Optional(Type.Record(Type.String(), text(8_000), { maxProperties: 50 })),
    body: Type.Optional(Type.Unknown()),
    file: Type.Optional(
      Type.Unknown({
        description:
          "A file in the place of the body, such as `{{ steps.make.output }}`; browsers show plain pictures and " +
          "texts, and save others",
      }),
    ),
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
      file: { title: "File" },
    },
  },
  output: Type.Object({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Unknown(),
    file: Type.Optional(Type.Unknown({ description: "What it was called with" })),
  }),
  branches: "none",
  effect: "pure",
  answers: true,
  check: ({ body, file }) =>
    body !== undefined && file !== undefined
      ? [{ path: "/file", message: "stands in the place of a body" }]
      : [],
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
