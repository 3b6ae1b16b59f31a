import Type, { type Static } from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { markup } from "#kernel/html/markup.ts";
import { query } from "#kernel/operation/operation.ts";
import { page } from "#kernel/operation/response.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { type SearchSource, searchTable } from "#kernel/contributions/search-source.ts";
import { mayWrite, visibleTo } from "../article.ts";
import { KnowledgeRead } from "../permissions.ts";
import * as store from "../store.ts";
import { splitChunks } from "#kernel/embedding/chunk.ts";
import { findByText, querySql, type TextQuery } from "./full-text.ts";
import { type RankedHit, fuseRankings } from "./rank-fusion.ts";
import { findByVector } from "./search-query.ts";
import type { VectorHit } from "./vector-index.ts";

const SNIPPET_CHARACTERS_MAX = 240;
/** The part of a text searched for a headline. Later words are found but not shown. */
const HEADLINE_CHARACTERS_MAX = 20_000;
const CHUNKS_CHARACTERS_MAX = 100_000;
/** Control characters around matching words. They are removed from the text before. */
const MARK_START = "\u0001";
const MARK_STOP = "\u0002";

/**
 * Reads an HTML snippet of each article: with marked words of the query, or the start of the chunk with the nearest
 * vector.
 */
async function readSnippets(
  tx: Tx,
  textQuery: TextQuery,
  ranked: readonly RankedHit[],
): Promise<ReadonlyMap<string, string>> {
  const byWords = ranked.filter(({ matchedBy }) => matchedBy.includes("text"));
  const text = `
    select id,
           case when id = any($2::text[]) then
             ts_headline(text_config(language), translate(left(plain, ${HEADLINE_CHARACTERS_MAX}), $4, ''),
                         ${querySql(textQuery, "$3", "language")},
                         'MaxFragments=2, MinWords=8, MaxWords=25, FragmentDelimiter=" … ", '
                         || 'StartSel=' || left($4, 1) || ', StopSel=' || right($4, 1))
           else left(plain, ${CHUNKS_CHARACTERS_MAX}) end as text
      from articles where id = any($1::text[])`;
  const rows = await queryRows(tx, text, [
    ranked.map(({ id }) => id),
    byWords.map(({ id }) => id),
    textQuery.words,
    MARK_START + MARK_STOP,
  ]);
  const texts = new Map(rows.map((row) => [String(row["id"]), String(row["text"])]));
  return new Map(
    ranked.map((hit) => {
      const words = texts.get(hit.id) ?? "";
      return [
        hit.id,
        byWords.includes(hit) ? markWords(words) : beginningOfChunk(words, hit.chunk),
      ];
    }),
  );
}

function markWords(text: string): string {
  return escapeHtml(text).replaceAll(MARK_START, "<mark>").replaceAll(MARK_STOP, "</mark>");
}

function beginningOfChunk(plain: string, chunk: number): string {
  const text = splitChunks(plain)[chunk] ?? "";
  if (text.length <= SNIPPET_CHARACTERS_MAX) return escapeHtml(text);
  return `${escapeHtml(text.slice(0, SNIPPET_CHARACTERS_MAX).replace(/\s+\S*$/, ""))} …`;
}

function escapeHtml(text: string): string {
  return markup`${text}`.text;
}

const DEFAULT_LIMIT = 10;
const Question = line(500);
const Limit = Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_LIMIT });

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
      description: "Confidence from 0 to 1 that the article answers the question",
    }),
    matchedBy: Type.Array(Type.Enum(["text", "meaning"]), {
      description: "Whether the match is by words, by meaning, or both",
    }),
    snippet: Type.String({
      description: "Excerpt as safe HTML; matching words are in `<mark>`",
    }),
  },
  { title: "ArticleHit" },
);
export type ArticleHit = Static<typeof ArticleHit>;

export const searchArticles = query({
  id: "knowledge.search",
  route: "GET /api/v1/knowledge/search",
  summary: "Search published articles by words and meaning",
  description:
    "`q` can be a question in plain language. Quotes, `or` and `-` before a word work as in other search engines. Search by meaning finds an article some seconds after its publication.",
  permission: KnowledgeRead,
  query: object({ q: Question, limit: Limit }),
  response: page(ArticleHit),
  example: { query: { q: "my laptop won't start", limit: 5 } },
  prepare: (platform, { query: { q } }, caller) => findArticleVectors(platform, caller, q),
  run: (ctx, { query: { q, limit } }, vectorHits) => search(ctx, q, { vectorHits, limit }),
});

export const askArticles = query({
  id: "knowledge.ask",
  route: "POST /api/v1/knowledge/search",
  summary: "Search published articles with a question in the body",
  description: "Same as with GET, if the question must not appear in a URL.",
  permission: KnowledgeRead,
  body: object({ q: Question, limit: Type.Optional(Limit) }),
  response: page(ArticleHit),
  example: { body: { q: "my laptop won't start", limit: 5 } },
  prepare: (platform, { body: { q } }, caller) => findArticleVectors(platform, caller, q),
  run: (ctx, { body: { q, limit = DEFAULT_LIMIT } }, vectorHits) =>
    search(ctx, q, { vectorHits, limit }),
});

async function findArticleVectors(
  platform: Platform,
  caller: Caller,
  text: string,
): Promise<readonly VectorHit[]> {
  const kinds = ["article"] as const;
  const findNearest = await findByVector(platform, partitionOfCaller(caller), { text, kinds });
  return findNearest("article");
}

async function search(
  ctx: ReadContext,
  q: string,
  options: { readonly vectorHits: readonly VectorHit[]; readonly limit: number },
) {
  const data = await findArticles(ctx, { words: q, isTyped: true }, options);
  return { data, nextCursor: null, limit: options.limit };
}

/** Finds published articles by text and by vector, best first. */
export async function findArticles(
  { tx, caller }: ReadContext,
  textQuery: TextQuery,
  { vectorHits, limit }: { readonly vectorHits: readonly VectorHit[]; readonly limit: number },
): Promise<readonly ArticleHit[]> {
  const visible = visibleTo(caller);
  const ranked = fuseRankings(await findByText(tx, textQuery, visible), vectorHits);
  const entries = await store.listPublished(
    tx,
    ranked.map(({ id: articleId }) => articleId),
    visible,
  );
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const hits = ranked.filter(({ id: articleId }) => byId.has(articleId)).slice(0, limit);
  const snippets = await readSnippets(tx, textQuery, hits);
  return hits.flatMap((hit) => {
    const entry = byId.get(hit.id);
    return entry ? [toArticleHit(entry, hit, snippets.get(hit.id) ?? "")] : [];
  });
}

function toArticleHit(
  entry: store.PublishedArticle,
  { score, matchedBy }: RankedHit,
  snippet: string,
): ArticleHit {
  return { ...entry, score, matchedBy: [...matchedBy], snippet };
}

const columns = { table: "articles", title: "title", ref: "number", detail: "state" } as const;
const forEveryone = searchTable({
  ...columns,
  where: "state = 'published' and visibility = 'everyone'",
});
const forAuthors = searchTable({ ...columns, where: "state <> 'retired'" });

/** Articles by title and number: published ones, and for authors also drafts. */
export const articleSource: SearchSource = {
  kind: "article",
  permission: KnowledgeRead,
  search: (ctx, query) => (mayWrite(ctx.caller) ? forAuthors : forEveryone)(ctx, query),
};
