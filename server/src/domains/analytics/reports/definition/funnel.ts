import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { FieldPath } from "./field-path.ts";

const STEPS_MAX = 10;

/**
 * How many get as far as each step. Without a `key` a row gets there when the conditions of all steps so far hold for
 * it; with one, whatever the key names, by a row of each step after that of the step before.
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
