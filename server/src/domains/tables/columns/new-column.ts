import Type, { type Static } from "typebox";
import { object, text } from "#kernel/schema/schema.ts";
import { COLUMN_PATTERN, COLUMN_TYPES, ColumnName, ColumnTitle } from "../table.ts";
import { COLUMN_TYPES_BY_NAME } from "./registry.ts";
import { ON_DELETE } from "./column-type.ts";

const TYPE_DESCRIPTIONS = COLUMN_TYPES.map(
  (type) => `- \`${type}\`: ${COLUMN_TYPES_BY_NAME[type].summary}`,
);

const OPTION_DESCRIPTIONS = COLUMN_TYPES.flatMap((type) =>
  Object.entries(COLUMN_TYPES_BY_NAME[type].options.properties).map(([name, schema]) => {
    const description = "description" in schema ? `: ${String(schema.description)}` : "";
    return `- \`${name}\` of \`${type}\`${description}`;
  }),
);

/** A column in a step. */
export const NewColumn = object(
  {
    name: ColumnName,
    title: Type.Optional(ColumnTitle),
    type: Type.Enum([...COLUMN_TYPES], { description: TYPE_DESCRIPTIONS.join("\n") }),
    required: Type.Optional(Type.Boolean({ default: false })),
    unique: Type.Optional(Type.Boolean({ default: false })),
    indexed: Type.Optional(
      Type.Boolean({ description: "Default: false, but true for references and users" }),
    ),
    default: Type.Optional(Type.Unknown({ description: "Default value of new records" })),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: OPTION_DESCRIPTIONS.join("\n") }),
    ),
    onDelete: Type.Optional(
      Type.Enum([...ON_DELETE], {
        description: "For a reference: same as `options.onDelete`",
      }),
    ),
    description: Type.Optional(text(2_000)),
  },
  { title: "NamedColumn" },
);
export type NewColumn = Static<typeof NewColumn>;

/** A column in a request: the name is optional if there is a title. */
export const ColumnInput = object(
  {
    ...NewColumn.properties,
    name: Type.Optional(
      Type.String({
        pattern: COLUMN_PATTERN,
        description:
          "Letters, digits and `_`; begins with a letter. Default: derived from the title, `orderDate` for `Order date`",
      }),
    ),
  },
  { title: "NewColumn" },
);
export type ColumnInput = Static<typeof ColumnInput>;
