import Type, { type TSchema } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { NODE_ID } from "../node-id.ts";

const TRIGGER_ID = "^[a-z][a-z0-9_-]{0,39}$";
const STARTS_MAX = 50;

/** The fields that a trigger of any kind has. */
export const commonFields = {
  id: Type.Optional(
    Type.String({
      pattern: TRIGGER_ID,
      description: "Unique among the triggers of the workflow; `trigger` is that of the first",
    }),
  ),
  name: Type.Optional(line(100, "For people")),
  start: Type.Optional(
    Type.Array(Type.String({ pattern: NODE_ID }), {
      minItems: 1,
      maxItems: STARTS_MAX,
      uniqueItems: true,
      description: "The nodes with which its runs begin; those without incoming edges unless given",
    }),
  ),
};

/** The schema of one kind of trigger. */
export function triggerSchema<K extends string, P extends Record<string, TSchema>>(
  type: K,
  fields: P,
) {
  return object({ type: Type.Literal(type), ...commonFields, ...fields });
}
