/** The node type that finds knowledge about a question in articles and table records. */
import Type from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";

const LIMIT_MAX = 50;

export const knowledgeSearch = nodeType({
  type: "knowledge_search",
  summary: "Finds articles and records that match a question by meaning",
  config: object({
    query: text(4_000, "A question in plain language"),
    articles: Type.Optional(Type.Boolean({ description: "Searches published articles" })),
    table: Type.Optional(line(100, "The slug of a table with a column of the type embedding")),
    column: Type.Optional(line(100, "The embedding column, if the table has several")),
    filter: Type.Optional(ConditionSchema),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT_MAX,
        default: 5,
        description: "Maximum number of articles, and of records",
      }),
    ),
    scoreMin: Type.Optional(
      Type.Number({ minimum: -1, maximum: 1, description: "Minimum similarity" }),
    ),
  }),
  form: {
    title: "Semantic search",
    group: "AI",
    icon: "search",
    first: { query: "", articles: true },
    fields: {
      query: { title: "Question", placeholder: "{{ trigger.input.text }}", multiline: true },
      articles: { title: "Articles" },
      table: { title: "Table", placeholder: "handbook", reference: "table" },
      column: { title: "Column", placeholder: "meaning" },
      filter: { title: "Record filter", example: { language: "en" } },
      limit: { title: "Limit" },
      scoreMin: { title: "Minimum score" },
    },
  },
  output: Type.Array(
    Type.Object({
      kind: Type.Enum(["article", "record"]),
      id: Type.String(),
      title: Type.String(),
      score: Type.Number(),
      text: Type.String({ description: "The most similar part, or the whole article" }),
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
