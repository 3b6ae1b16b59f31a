/** The node type that reads and writes the state of a workflow between runs. */
import Type from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";
import { literalSchema } from "../template.ts";

/** The changes of an entry. */
export const STATE_CHANGES = ["set", "increment", "append", "delete"] as const;

export const StateKey = Type.String({
  pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,199}$",
  description: "Letters, digits and `_.:/@-`",
});

/** The fields of a change, for the step and the API. */
export const stateChangeFields = {
  value: Type.Optional(Type.Unknown({ description: "For `set` and `append`: any JSON" })),
  by: Type.Optional(Type.Number({ description: "For `increment`. Default: 1" })),
  keepLast: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "For `append`: number of items to keep, newest last. Default: all",
    }),
  ),
  expected: Type.Optional(
    Type.Unknown({
      description:
        "Expected current value, null for no value. If the value is different, the step fails with `state_conflict`",
    }),
  ),
};

export const state = nodeType({
  type: "state",
  summary: "Reads or changes state that the workflow stores between runs, per environment",
  config: object({
    action: literalSchema(Type.Enum(["get", ...STATE_CHANGES])),
    key: StateKey,
    ...stateChangeFields,
  }),
  form: {
    title: "Workflow state",
    group: "Data",
    icon: "archive",
    first: { action: "get", key: "" },
    fields: {
      action: { title: "Operation" },
      key: { title: "Key", placeholder: "last-order" },
      value: {
        title: "Value",
        example: "{{ trigger.input.id }}",
        when: { action: ["set", "append"] },
      },
      by: { title: "Amount", when: { action: ["increment"] } },
      keepLast: { title: "Items to keep", when: { action: ["append"] } },
      expected: { title: "Expected value", when: { action: [...STATE_CHANGES] } },
    },
  },
  output: Type.Object({
    key: Type.String(),
    value: Type.Unknown({ description: "Current value. Null if there is none" }),
    revision: Type.Integer({ description: "Number of changes. 0 if there is no value" }),
  }),
  branches: "none",
  effect: "outside",
  inside: true,
  check: checkStateChange,
});

/** Checks that a change has its required fields. */
export function checkStateChange(config: Readonly<Record<string, unknown>>): FieldError[] {
  const { action, value } = config;
  const needsValue = action === "set" || action === "append";
  if (needsValue && value === undefined) return [{ path: "/value", message: "is required" }];
  return [];
}
