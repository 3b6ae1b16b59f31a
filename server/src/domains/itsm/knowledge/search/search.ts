import Type, { type Static } from "typebox";
import type { Caller, Outside } from "#kernel/access/caller.ts";
import { type ReadContext, query } from "#kernel/operation/operation.ts";
import { page } from "#kernel/operation/response.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { visibleTo } from "../article.ts";
import { findByWords, type WordQuestion } from "./full-text.ts";
import { type Found, fuse } from "./rank-fusion.ts";
import { KnowledgeRead } from "../permissions.ts";
import { nearnessTo, partitionOf } from "./search-query.ts";
import type { Near } from "./vector-index.ts";
import { snippetsOf } from "../snippet.ts";
import * as store from "../store.ts";

const LIMIT = 10;
const Question = line(500);
const Limit = Type.Integer({ minimum: 1, maximum: 200, default: LIMIT });

/** An article that was found. */
export const ArticleHit = Type.Object(
  {
    id: id("kb"),
    number: Type.String(),
    title: Type.String(),
    summary: Type.String(),
    tags: Type.Array(Type.String()),
    category: nullable(Type.String()),
    publishedAt: nullable(Time),
    score: Type.Number({
      description: "From 0 to 1: how sure it is that this answers the question",
    }),
    matchedBy: Type.Array(Type.Enum(["text", "meaning"]), {
      description: "Whether it has words of the question, means the same, or both",
    }),
    snippet: Type.String({
      description: "A few words of it, as safe HTML; those of the question in `<mark>`",
    }),
  },
  { title: "ArticleHit" },
);
export type ArticleHit = Static<typeof ArticleHit>;

export const searchArticles = query({
  id: "knowledge.search",
  route: "GET /api/v1/knowledge/search",
  summary: "Find published articles by words and by meaning",
  description:
    "`q` may be a question in plain words. Quotes, `or` and `-` in front of a word mean what they do " +
    "in other search engines. An article is found by its meaning some seconds after it was published.",
  permission: KnowledgeRead,
  query: object({ q: Question, limit: Limit }),
  reply: page(ArticleHit),
  example: { query: { q: "my laptop won't start", limit: 5 } },
  prepare: (outside, { query: { q } }, caller) => articlesNear(outside, caller, q),
  run: (ctx, { query: { q, limit } }, near) => answer(ctx, q, { near, limit }),
});

export const askArticles = query({
  id: "knowledge.ask",
  route: "POST /api/v1/knowledge/search",
  summary: "Find published articles, the question being the body",
  description: "The same as with GET, for who would rather have no question in an address.",
  permission: KnowledgeRead,
  body: object({ q: Question, limit: Type.Optional(Limit) }),
  reply: page(ArticleHit),
  example: { body: { q: "my laptop won't start", limit: 5 } },
  prepare: (outside, { body: { q } }, caller) => articlesNear(outside, caller, q),
  run: (ctx, { body: { q, limit = LIMIT } }, near) => answer(ctx, q, { near, limit }),
});

async function articlesNear(
  outside: Outside,
  caller: Caller,
  text: string,
): Promise<readonly Near[]> {
  const kinds = ["article"] as const;
  const nearness = await nearnessTo(outside, partitionOf(caller), { text, kinds });
  return nearness("article");
}

async function answer(
  ctx: ReadContext,
  q: string,
  wanted: { readonly near: readonly Near[]; readonly limit: number },
) {
  const data = await articlesFor(ctx, { words: q, isTyped: true }, wanted);
  return { data, nextCursor: null, limit: wanted.limit };
}

/** The published articles that answer a question, the best first. */
export async function articlesFor(
  { tx, caller }: ReadContext,
  question: WordQuestion,
  { near, limit }: { readonly near: readonly Near[]; readonly limit: number },
): Promise<readonly ArticleHit[]> {
  const visible = visibleTo(caller);
  const found = fuse(await findByWords(tx, question, visible), near);
  const entries = await store.published(
    tx,
    found.map(({ id: articleId }) => articleId),
    visible,
  );
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const shown = found.filter((one) => known.has(one.id)).slice(0, limit);
  const snippets = await snippetsOf(tx, question, shown);
  return shown.flatMap((one) => {
    const entry = known.get(one.id);
    return entry ? [hitOf(entry, one, snippets.get(one.id) ?? "")] : [];
  });
}

function hitOf(entry: store.Published, { score, matchedBy }: Found, snippet: string): ArticleHit {
  return { ...entry, score, matchedBy: [...matchedBy], snippet };
}
