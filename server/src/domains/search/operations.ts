import Type, { type Static } from "typebox";
import { EVERYONE, holdsPermission, permission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import {
  type SearchHit,
  type SearchQuery,
  type SearchSource,
  SearchSourcePoint,
} from "#kernel/contributions/search-source.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";

const LIMIT_MAX = 50;
const WORDS_MAX = 8;

export const SearchUse = permission("search:use", "Search everything that you can view", EVERYONE);

const Hit = Type.Object(
  {
    kind: Type.String({ description: "Such as `workflow`, `incident`, `article`, `person`" }),
    id: Type.String(),
    title: Type.String(),
    detail: nullable(Type.String()),
    ref: nullable(Type.String({ description: "Number or slug" })),
    table: Type.Optional(Type.String({ description: "Slug of the table of a record" })),
  },
  { title: "SearchHit" },
);
type Hit = Static<typeof Hit>;

export const searchEverything = query({
  id: "search.find",
  route: "GET /api/v1/search",
  summary: "Search resources by word, id or number",
  description:
    "Searches the resources in the environment of the request that you can view. A result matches all words of `q`; the last word can be a prefix. Best matches first. `kinds` restricts the kinds, separated by commas; the response lists the available kinds. Records are searched in the searchable columns of their table; without such columns, only the newest 500 records are searched.",
  permission: SearchUse,
  query: object({
    q: line(200),
    kinds: Type.Optional(line(500, "Such as `workflow,incident`")),
    limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 20 }),
  }),
  response: item(
    Type.Object(
      { hits: Type.Array(Hit), kinds: Type.Array(Type.String()) },
      { title: "SearchResult" },
    ),
  ),
  example: { query: { q: "printer flo", kinds: "incident,article", limit: 20 } },
  async run(ctx, { query: { q, kinds, limit } }) {
    const visible = contributionsTo(SearchSourcePoint, ctx.services.contributions).filter(
      (source) => holdsPermission(ctx.caller.permissions, source.permission),
    );
    const chosen = kinds?.split(",").map((kind) => kind.trim());
    const sources = visible.filter(({ kind }) => chosen?.includes(kind) ?? true);
    const hits = await findHits(ctx, sources, toSearchQuery(q, limit));
    return { hits, kinds: visible.map(({ kind }) => kind) };
  },
});

function toSearchQuery(q: string, limit: number): SearchQuery {
  const raw = q.trim();
  const text = raw.toLowerCase();
  return { raw, text, words: text.split(/\s+/).slice(0, WORDS_MAX), limit };
}

/** Queries all sources concurrently and sorts by rank. Equal hits keep the order of their source. */
async function findHits(
  ctx: ReadContext,
  sources: readonly SearchSource[],
  search: SearchQuery,
): Promise<Hit[]> {
  if (search.text === "") return [];
  const found = await Promise.all(
    sources.map(async (source) =>
      (await source.search(ctx, search)).map((hit, place) => ({
        hit: {
          kind: source.kind,
          id: hit.id,
          title: hit.title,
          detail: hit.detail ?? null,
          ref: hit.ref ?? null,
          ...(hit.table !== undefined && { table: hit.table }),
        },
        rank: rankHit(search, hit),
        place,
      })),
    ),
  );
  return found
    .flat()
    .toSorted((one, other) => other.rank - one.rank || one.place - other.place)
    .slice(0, search.limit)
    .map(({ hit }) => hit);
}

const EXACT = 100;
const TITLE = 90;
const BEGINNING = 80;
const WORDS = 60;
const INSIDE = 40;

/** The rank of a title for the search text. Larger is better; 0 for hits by other fields. */
function rankHit({ text, words, raw }: SearchQuery, { id, title, ref }: SearchHit): number {
  if (id === raw || ref?.toLowerCase() === text) return EXACT;
  const lower = title.toLowerCase();
  if (lower === text) return TITLE;
  if (lower.startsWith(text) || ref?.toLowerCase().startsWith(text) === true) return BEGINNING;
  const own = lower.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => own.some((one) => one.startsWith(word)))) return WORDS;
  return lower.includes(text) ? INSIDE : 0;
}
