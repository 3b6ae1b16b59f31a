/** The node type that reads and writes what a workflow keeps from one run to the next. */
import Type from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";
import { literalSchema } from "../template.ts";

/** The things that can be done to an entry, besides reading it. */
export const STATE_CHANGES = ["set", "increment", "append", "delete"] as const;

export const StateKey = Type.String({
  pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,199}$",
  description: "Letters, digits and `_.:/@-`",
});

/** The fields of a change, for the step and for the API. */
export const stateChangeFields = {
  value: Type.Optional(Type.Unknown({ description: "Of `set` and `append`: any JSON" })),
  by: Type.Optional(Type.Number({ description: "Of `increment`: 1 unless given" })),
  keepLast: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "Of `append`: how many members stay, the last ones; all unless given",
    }),
  ),
  expected: Type.Optional(
    Type.Unknown({
      description:
        "What must be there before, null for nothing: another value is a `state_conflict`",
    }),
  ),
};

export const state = nodeType({
  type: "state",
  summary: "Reads or changes what the workflow keeps from one run to the next, in this environment",
  config: object({
    action: literalSchema(Type.Enum(["get", ...STATE_CHANGES])),
    key: StateKey,
    ...stateChangeFields,
  }),
  form: {
    title: "Keep state",
    group: "Data",
    icon: "archive",
    first: { action: "get", key: "" },
    fields: {
      action: { title: "Do" },
      key: { title: "Key", placeholder: "last-order" },
      value: {
        title: "Value",
        example: "{{ trigger.input.id }}",
        when: { action: ["set", "append"] },
      },
      by: { title: "By", when: { action: ["increment"] } },
      keepLast: { title: "Keep the last", when: { action: ["append"] } },
      expected: { title: "Only if it is", when: { action: [...STATE_CHANGES] } },
    },
  },
  output: Type.Object({
    key: Type.String(),
    value: Type.Unknown({ description: "As it is now; null where nothing is kept" }),
    revision: Type.Integer({ description: "Counts changes; 0 where nothing is kept" }),
  }),
  branches: "none",
  effect: "outside",
  inside: true,
  check: checkStateChange,
});

/** Checks that a change has what it needs. */
export function checkStateChange(config: Readonly<Record<string, unknown>>): FieldError[] {
  const { action, value } = config;
  const needsValue = action === "set" || action === "append";
  if (needsValue && value === undefined) return [{ path: "/value", message: "is required" }];
  return [];
}
