import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { markup } from "#kernel/html/markup.ts";
import { query } from "#kernel/operation/operation.ts";
import { page } from "#kernel/operation/response.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { visibleTo } from "../article.ts";
import { KnowledgeRead } from "../permissions.ts";
import * as store from "../store.ts";
import { piecesOf } from "./chunk.ts";
import { findByWords, querySql, type WordQuestion } from "./full-text.ts";
import { type RankedHit, fuseRankings } from "./rank-fusion.ts";
import { findByVector, partitionOf } from "./search-query.ts";
import type { VectorHit } from "./vector-index.ts";

const CHARACTERS_MAX = 240;
/** Where words are looked for to show them; what is further down is found but not shown. */
const SHOWN_CHARACTERS_MAX = 20_000;
const PIECES_CHARACTERS_MAX = 100_000;
/** Nobody can type them, and the text is rid of them first. */
const START = "\u0001";
const STOP = "\u0002";

/**
 * A few words of each article, as HTML: those of the question marked where it has them, else how the
 * piece begins whose meaning is nearest.
 */
async function snippetsOf(
  tx: Tx,
  question: WordQuestion,
  found: readonly RankedHit[],
): Promise<ReadonlyMap<string, string>> {
  const byWords = found.filter(({ matchedBy }) => matchedBy.includes("text"));
  const text = `
    select id,
           case when id = any($2::text[]) then
             ts_headline('english', translate(left(plain, ${SHOWN_CHARACTERS_MAX}), $4, ''),
                         ${querySql(question, "$3")},
                         'MaxFragments=2, MinWords=8, MaxWords=25, FragmentDelimiter=" … ", '
                         || 'StartSel=' || left($4, 1) || ', StopSel=' || right($4, 1))
           else left(plain, ${PIECES_CHARACTERS_MAX}) end as text
      from articles where id = any($1::text[])`;
  const rows = await queryRows(tx, text, [
    found.map(({ id }) => id),
    byWords.map(({ id }) => id),
    question.words,
    START + STOP,
  ]);
  const texts = new Map(rows.map((row) => [String(row["id"]), String(row["text"])]));
  return new Map(
    found.map((one) => {
      const words = texts.get(one.id) ?? "";
      return [one.id, byWords.includes(one) ? marked(words) : beginning(words, one.chunk)];
    }),
  );
}

function marked(text: string): string {
  return escaped(text).replaceAll(START, "<mark>").replaceAll(STOP, "</mark>");
}

function beginning(plain: string, chunk: number): string {
  const piece = piecesOf(plain)[chunk] ?? "";
  if (piece.length <= CHARACTERS_MAX) return escaped(piece);
  return `${escaped(piece.slice(0, CHARACTERS_MAX).replace(/\s+\S*$/, ""))} …`;
}

function escaped(text: string): string {
  return markup`${text}`.text;
}

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
  response: page(ArticleHit),
  example: { query: { q: "my laptop won't start", limit: 5 } },
  prepare: (platform, { query: { q } }, caller) => articlesNear(platform, caller, q),
  run: (ctx, { query: { q, limit } }, near) => answer(ctx, q, { near, limit }),
});

export const askArticles = query({
  id: "knowledge.ask",
  route: "POST /api/v1/knowledge/search",
  summary: "Find published articles, the question being the body",
  description: "The same as with GET, for who would rather have no question in an address.",
  permission: KnowledgeRead,
  body: object({ q: Question, limit: Type.Optional(Limit) }),
  response: page(ArticleHit),
  example: { body: { q: "my laptop won't start", limit: 5 } },
  prepare: (platform, { body: { q } }, caller) => articlesNear(platform, caller, q),
  run: (ctx, { body: { q, limit = LIMIT } }, near) => answer(ctx, q, { near, limit }),
});

async function articlesNear(
  platform: Platform,
  caller: Caller,
  text: string,
): Promise<readonly VectorHit[]> {
  const kinds = ["article"] as const;
  const nearness = await findByVector(platform, partitionOf(caller), { text, kinds });
  return nearness("article");
}

async function answer(
  ctx: ReadContext,
  q: string,
  wanted: { readonly near: readonly VectorHit[]; readonly limit: number },
) {
  const data = await articlesFor(ctx, { words: q, isTyped: true }, wanted);
  return { data, nextCursor: null, limit: wanted.limit };
}

/** The published articles that answer a question, the best first. */
export async function articlesFor(
  { tx, caller }: ReadContext,
  question: WordQuestion,
  { near, limit }: { readonly near: readonly VectorHit[]; readonly limit: number },
): Promise<readonly ArticleHit[]> {
  const visible = visibleTo(caller);
  const found = fuseRankings(await findByWords(tx, question, visible), near);
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

function hitOf(
  entry: store.Published,
  { score, matchedBy }: RankedHit,
  snippet: string,
): ArticleHit {
  return { ...entry, score, matchedBy: [...matchedBy], snippet };
}
