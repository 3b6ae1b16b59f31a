/** The API format of a file's column. */
import Type, { type Static } from "typebox";
import { COLUMN_TYPES } from "#domains/tables/index.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { DATE_ORDERS } from "./date-style.ts";
import { DECIMAL_MARKS } from "./number-style.ts";

/** A type that fits nearly all values but does not keep their exact text. */
const TypeSuggestion = Type.Object(
  {
    type: Type.Enum([...COLUMN_TYPES]),
    options: Type.Record(Type.String(), Type.Unknown()),
    invalid: Type.Integer({ description: "Values that can't be read as that type" }),
    invalidExamples: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String() })),
    emptied: Type.Integer({ description: "Texts such as `n/a`, which would become empty" }),
    emptiedExamples: Type.Array(Type.String()),
    changes: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: "Examples of what would become of values",
    }),
    currencies: Type.Array(Type.String(), {
      description: "Those that amounts name, and would lose",
    }),
  },
  { title: "TypeSuggestion" },
);

/** A column of the file. */
export const SourceColumn = Type.Object(
  {
    header: Type.String({ description: "As the file names it; empty where it does not" }),
    field: Type.String({ description: "A name for it that a table may have" }),
    type: Type.Enum([...COLUMN_TYPES], {
      description:
        "A type that keeps every value: exported again, each is the same text. `text` where no other does",
    }),
    options: Type.Record(Type.String(), Type.Unknown()),
    dateOrder: nullable(
      Type.Enum([...DATE_ORDERS], { description: "Of `01/02/2026`; null where there are no days" }),
    ),
    decimalMark: nullable(
      Type.Enum([...DECIMAL_MARKS], { description: "Null where there are no numbers" }),
    ),
    isAmbiguous: Type.Boolean({
      description:
        "Whether another order or mark would do as well; a mapping to a date or time must then name its `dateOrder`",
    }),
    ambiguousExamples: Type.Optional(
      Type.Array(Type.String(), { description: "Texts that are one day or another" }),
    ),
    suggestion: Type.Optional(nullable(TypeSuggestion)),
    filled: Type.Integer(),
    empty: Type.Integer(),
    invalid: Type.Integer({ description: "Values that are not of that type" }),
    unique: Type.Boolean({ description: "Whether no value is there twice, as far as was looked" }),
    examples: Type.Array(Type.String()),
    invalidExamples: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String() })),
  },
  { title: "SourceColumn" },
);
export type SourceColumn = Static<typeof SourceColumn>;
