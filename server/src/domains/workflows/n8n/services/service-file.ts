/**
 * A file of rows maps an n8n node to preset actions. Each node has one file with its name, in a folder next to the
 * presets. An import reads the files of the nodes in a workflow.
 */
import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";

/**
 * The value of a field, as data:
 *
 * - `"options.limit|number"`: a parameter, with alternative paths after ` or ` and conversions after `|`;
 * - `"=code"`: code, in which `${options.limit|number ?? 10}` is a parameter, `${simple is not false}` a comparison and
 *   `${@slackChannel}` a named function; the field is omitted if the parameter `${start!}` is missing;
 * - `"@slackChannel"`: a named function, and `{ "$eventTime": ["start"] }` a function with arguments;
 * - `{ "name": source }`: an object of fields.
 */
export type Source = string | SourceObject;

export interface SourceObject {
  readonly [name: string]: Source | readonly unknown[];
}

const SourceSchema = Type.Unsafe<Source>(
  Type.Cyclic(
    {
      Source: Type.Union([
        Type.String({ maxLength: 2_000 }),
        Type.Record(
          Type.String(),
          Type.Union([Type.Ref("Source"), Type.Array(Type.Unknown(), { maxItems: 10 })]),
        ),
      ]),
    },
    "Source",
  ),
);
const Sources = Type.Record(Type.String(), SourceSchema);
const text = () => Type.String({ minLength: 1, maxLength: 2_000 });
const line = Type.Optional(text());

/** The request, if the preset has no matching action. */
const request = {
  request: Type.Optional(Type.String({ pattern: "^(GET|POST|PUT|PATCH|DELETE) (/|=)" })),
  query: Type.Optional(SourceSchema),
  headers: Type.Optional(SourceSchema),
  body: Type.Optional(SourceSchema),
  response: Type.Optional(SourceSchema),
};
const call = { action: line, input: Type.Optional(Sources), ...request };

const ServiceRow = object({
  on: Type.String({ description: "The resource and the operation; several by spaces" }),
  ...call,
  service: Type.Optional(object({ preset: text(), title: text(), base: line })),
  via: Type.Optional(object({ ...call, inputs: text() })),
  items: Type.Optional(SourceSchema),
  isList: Type.Optional(Type.Boolean()),
  takes: Type.Optional(Type.String()),
  notes: Type.Optional(Type.Array(text(), { maxItems: 5 })),
  sample: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type ServiceRow = Static<typeof ServiceRow>;

/** Rows of records with plain paths for create, read, update and delete. */
const CrudRow = object({
  crud: object({
    resource: text(),
    path: Type.String({ pattern: "^/", description: "Such as `/users`; parameters in braces" }),
    id: Type.String({ description: "The parameter that has the id" }),
    body: Type.Optional(SourceSchema),
    change: Type.Optional(SourceSchema),
    method: Type.Optional(Type.Enum(["PUT", "PATCH"])),
    one: Type.Optional(Type.String({ description: "Code of the record in an answer" })),
    list: Type.Optional(Type.String({ description: "Code of the list in an answer" })),
    size: Type.Optional(Type.String({ description: "The field that says how many are read" })),
    takes: line,
    sample: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    without: Type.Optional(Type.String({ description: "Operations that there are not" })),
  }),
});
export type Crud = Static<typeof CrudRow>["crud"];

/** Rows for several resources: `<name>` in a text is replaced by the value of each. */
const EachRow = object({
  each: Type.Array(Type.Record(Type.String(), Type.String()), { minItems: 2, maxItems: 30 }),
  rows: Type.Array(Type.Union([ServiceRow, CrudRow]), { minItems: 1, maxItems: 20 }),
});

export const ServiceFile = object({
  type: Type.Optional(Type.String({ description: "The type of the node, with its package" })),
  preset: text(),
  title: text(),
  base: line,
  usual: text(),
  rename: line,
  takes: line,
  rows: Type.Array(Type.Union([ServiceRow, CrudRow, EachRow]), { minItems: 1, maxItems: 100 }),
});
export type ServiceFile = Static<typeof ServiceFile>;

/** A node with the same rows as another node. */
export const AliasFile = object({ sameAs: text() });
