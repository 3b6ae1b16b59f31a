import Type, { type Static } from "typebox";
import { visibleItemSql } from "#domains/itsm/catalog/index.ts";
import { listOutages, Outage } from "#domains/itsm/outages/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import {
  containsPattern,
  type SearchQuery,
  SearchSourcePoint,
} from "#kernel/contributions/search-source.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { PortalItem } from "./home.ts";
import { PortalUse } from "./permissions.ts";
import { findThings, Thing } from "./things.ts";

const WORDS_MAX = 8;
const HITS_MAX = 5;

const ArticleAnswer = Type.Object(
  { id: Type.String(), title: Type.String(), summary: nullable(Type.String()) },
  { title: "PortalArticle" },
);

export const Answers = Type.Object(
  {
    articles: Type.Array(ArticleAnswer),
    items: Type.Array(PortalItem),
    things: Type.Array(Thing, { description: "Your own tickets and requests, open or not" }),
    outages: Type.Array(Outage),
  },
  { title: "PortalAnswers" },
);

export const searchPortal = query({
  id: "portal.search",
  route: "GET /api/v1/portal/search",
  summary: "Search articles, the catalog, your own tickets and outages at once",
  description: "For every key: the last word may be the beginning of one. Up to five of each.",
  permission: PortalUse,
  environmentScoped: true,
  query: object({ q: line(200) }),
  response: item(Answers),
  example: { query: { q: "vpn pri" } },
  async run(ctx, { query: { q } }) {
    const text = q.trim().toLowerCase();
    const words = text.split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
    if (words.length === 0) return { articles: [], items: [], things: [], outages: [] };
    const me = ctx.caller.principal?.id ?? authorOf(ctx.caller);
    const [articles, items, things, outages] = await Promise.all([
      findArticles(ctx, { text, words, raw: q.trim(), limit: HITS_MAX }),
      findItems(ctx, words),
      findThings(ctx.tx, me, { words: toTsQuery(words), limit: HITS_MAX }),
      listOutages(ctx.tx, me, ctx.now),
    ]);
    const isMeant = ({ title, message }: Outage) => {
      const announced = `${title} ${message ?? ""}`.toLowerCase();
      return words.every((word) => announced.includes(word));
    };
    return { articles, items, things, outages: outages.filter(isMeant).slice(0, HITS_MAX) };
  },
});

/** Matches all words exactly, and the last as a prefix; quoting prevents operators. */
function toTsQuery(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word.replaceAll(/['\\]/g, " ")}'`);
  return `${quoted.join(" & ")}:*`;
}

async function findArticles(
  ctx: ReadContext,
  asked: SearchQuery,
): Promise<Static<typeof ArticleAnswer>[]> {
  const source = contributionsTo(SearchSourcePoint, ctx.services.contributions).find(
    ({ kind, permission }) =>
      kind === "article" && holdsPermission(ctx.caller.permissions, permission),
  );
  const hits = (await source?.search(ctx, asked)) ?? [];
  const rows = await queryRows(
    ctx.tx,
    "select id, summary from articles where id = any($1::text[])",
    [hits.map(({ id }) => id)],
  );
  const summaries = new Map(
    rows.map(({ id, summary }) => [id, typeof summary === "string" ? summary : ""]),
  );
  return hits.map(({ id, title }) => ({ id, title, summary: summaries.get(id) || null }));
}

async function findItems(
  { tx, caller }: ReadContext,
  words: readonly string[],
): Promise<Static<typeof PortalItem>[]> {
  const haystack = "concat_ws(' ', name, category, array_to_string(keywords, ' '), description)";
  const found = words.map((_, index) => `${haystack} ilike $${index + 2}`).join(" and ");
  return queryRows<Static<typeof PortalItem>>(
    tx,
    `select id, name, description, category, icon, estimate from catalog_items
      where status = 'active' and ${visibleItemSql(caller)} and ${found}
      order by name ilike $1 desc, featured desc, position, name limit ${HITS_MAX}`,
    [containsPattern(words[0] ?? ""), ...words.map(containsPattern)],
  );
}
