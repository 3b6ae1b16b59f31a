/** The content of a form: what it asks for, and what it says. */
import Type, { type Static } from "typebox";
import type { ColumnSchema, ColumnTypeName } from "#domains/tables/index.ts";
import { line, object, text } from "#kernel/schema/schema.ts";

const FIELDS_MAX = 60;

const FormField = object({
  name: line(63),
  label: Type.Optional(line(200)),
  help: Type.Optional(text(500)),
  required: Type.Optional(Type.Boolean()),
});
export type FormField = Static<typeof FormField>;

export const FormContent = object(
  {
    title: Type.Optional(line(200)),
    intro: Type.Optional(text(2_000)),
    thanks: Type.Optional(text(2_000)),
    fields: Type.Array(FormField, {
      maxItems: FIELDS_MAX,
      description: "In their order; no other field is shown or taken",
    }),
  },
  { title: "FormContent" },
);
export type FormContent = Static<typeof FormContent>;

export const EMPTY_FORM: FormContent = { fields: [] };

/** The types that a page without a script can ask for. */
const ASKABLE: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "multi_enum",
  "duration",
  "email",
  "url",
]);

/** True for a column that a form can ask for. */
export function isAskable({ type, columnType }: ColumnSchema): boolean {
  return ASKABLE.has(type) && !columnType.generated;
}
