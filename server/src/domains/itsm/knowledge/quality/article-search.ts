import Type, { type Static } from "typebox";
import { id, Time } from "#kernel/schema/schema.ts";

/** A search among the articles, and how it ended. */
export const ArticleSearch = Type.Object(
  {
    id: id("srch"),
    words: Type.String({ description: "As typed, in small letters; numbers and addresses hidden" }),
    searches: Type.Integer({ description: "How often" }),
    opened: Type.Integer({ description: "In how many of those something was opened" }),
    found: Type.Integer({ description: "How much the last one found" }),
    firstAt: Time,
    lastAt: Time,
  },
  { title: "ArticleSearch" },
);
export type ArticleSearch = Static<typeof ArticleSearch>;

/** Makes the same search look the same, and hides what may be about a person: addresses and long numbers. */
export function normalizeWords(q: string): string {
  return q
    .toLowerCase()
    .replaceAll(/\S+@\S+/g, "…")
    .replaceAll(/\d[\d\s./-]{3,}\d/g, "…")
    .replaceAll(/\s+/g, " ")
    .trim();
}
