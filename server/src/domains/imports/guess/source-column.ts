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
    invalid: Type.Integer({ description: "Number of values that can't be converted to this type" }),
    invalidExamples: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String() })),
    emptied: Type.Integer({ description: "Number of values such as `n/a` that become empty" }),
    emptiedExamples: Type.Array(Type.String()),
    changes: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: "Examples of converted values",
    }),
    currencies: Type.Array(Type.String(), {
      description: "Units, such as currencies, that would be lost",
    }),
  },
  { title: "TypeSuggestion" },
);

/** A column of the file. */
export const SourceColumn = Type.Object(
  {
    header: Type.String({ description: "Name of the column in the file. Can be empty" }),
    field: Type.String({ description: "Suggested name for the column of a table" }),
    type: Type.Enum([...COLUMN_TYPES], {
      description:
        "A type that keeps every value unchanged when it is exported again. Otherwise `text`",
    }),
    options: Type.Record(Type.String(), Type.Unknown()),
    dateOrder: nullable(
      Type.Enum([...DATE_ORDERS], {
        description: "Order of dates such as `01/02/2026`. Null if the column has no dates",
      }),
    ),
    decimalMark: nullable(
      Type.Enum([...DECIMAL_MARKS], { description: "Null if the column has no numbers" }),
    ),
    isAmbiguous: Type.Boolean({
      description:
        "Whether other date orders or decimal marks also match. Then a mapping to a date or time requires a `dateOrder`",
    }),
    ambiguousExamples: Type.Optional(
      Type.Array(Type.String(), { description: "Examples of ambiguous dates" }),
    ),
    suggestion: Type.Optional(nullable(TypeSuggestion)),
    filled: Type.Integer(),
    empty: Type.Integer(),
    invalid: Type.Integer({ description: "Number of values that do not have this type" }),
    unique: Type.Boolean({ description: "Whether the examined values are unique" }),
    examples: Type.Array(Type.String()),
    invalidExamples: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String() })),
  },
  { title: "SourceColumn" },
);
export type SourceColumn = Static<typeof SourceColumn>;
