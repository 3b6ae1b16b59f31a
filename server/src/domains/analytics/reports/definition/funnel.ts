import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { FieldPath } from "./field-path.ts";

const STEPS_MAX = 10;

/**
 * Counts how many reach each step. Without a `key`, a row reaches a step if it matches the conditions of all steps
 * so far; with a key, each key value needs a row for each step, later than that of the previous step.
 */
export const Funnel = object(
  {
    steps: Type.Array(object({ name: line(100), filter: ConditionSchema }), {
      minItems: 2,
      maxItems: STEPS_MAX,
    }),
    key: Type.Optional(FieldPath),
  },
  { title: "ReportFunnel" },
);
export type Funnel = Static<typeof Funnel>;
