/** The node type that finds what is known about a question: in articles, and in records of a table. */
import Type from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";

const LIMIT_MAX = 50;

export const knowledgeSearch = nodeType({
  type: "knowledge_search",
  summary: "Finds what articles and records of a table say about a question, by its meaning",
  config: object({
    query: text(4_000, "A question in plain words"),
    articles: Type.Optional(Type.Boolean({ description: "Looks in published articles" })),
    table: Type.Optional(line(100, "The slug of a table with a column of the type embedding")),
    column: Type.Optional(line(100, "That column, where the table has several")),
    filter: Type.Optional(ConditionSchema),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT_MAX,
        default: 5,
        description: "Of articles and of records, each",
      }),
    ),
    scoreMin: Type.Optional(
      Type.Number({ minimum: -1, maximum: 1, description: "Leaves out what is less alike" }),
    ),
  }),
  form: {
    title: "Search by meaning",
    group: "AI",
    icon: "search",
    first: { query: "", articles: true },
    fields: {
      query: { title: "Question", placeholder: "{{ trigger.input.text }}", multiline: true },
      articles: { title: "Articles" },
      table: { title: "Table", placeholder: "handbook", reference: "table" },
      column: { title: "Column", placeholder: "meaning" },
      filter: { title: "Filter of records", example: { language: "en" } },
      limit: { title: "At most" },
      scoreMin: { title: "Score at least" },
    },
  },
  output: Type.Array(
    Type.Object({
      kind: Type.Enum(["article", "record"]),
      id: Type.String(),
      title: Type.String(),
      score: Type.Number(),
      text: Type.String({ description: "The part that is nearest, or the whole article" }),
      record: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  branches: "none",
  effect: "outside",
  inside: true,
  check: ({ articles, table, filter }) => [
    ...(articles === undefined && table === undefined
      ? [{ path: "/table", message: "is required without articles" }]
      : []),
    ...(filter === undefined
      ? []
      : checkCondition(filter).map(({ path, message }) => ({ path: `/filter${path}`, message }))),
  ],
});
