import { line } from "#kernel/schema/schema.ts";

/** A field of the source; further segments lead into JSON. */
export const FieldPath = line(
  200,
  "A field of the source. Use dots for JSON, as in `data.severity`",
);
