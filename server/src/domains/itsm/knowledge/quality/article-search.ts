import Type, { type Static } from "typebox";
import { id, Time } from "#kernel/schema/schema.ts";

/** A search in the articles, and its outcome. */
export const ArticleSearch = Type.Object(
  {
    id: id("srch"),
    words: Type.String({
      description: "The search term in lower case, without numbers and addresses",
    }),
    searches: Type.Integer({ description: "Number of searches" }),
    opened: Type.Integer({ description: "Number of searches in which a result was opened" }),
    found: Type.Integer({ description: "Number of results of the last search" }),
    firstAt: Time,
    lastAt: Time,
  },
  { title: "ArticleSearch" },
);
export type ArticleSearch = Static<typeof ArticleSearch>;

/** Normalises a search, and removes possible personal data: addresses and long numbers. */
export function normalizeWords(q: string): string {
  return q
    .toLowerCase()
    .replaceAll(/\S+@\S+/g, "…")
    .replaceAll(/\d[\d\s./-]{3,}\d/g, "…")
    .replaceAll(/\s+/g, " ")
    .trim();
}
