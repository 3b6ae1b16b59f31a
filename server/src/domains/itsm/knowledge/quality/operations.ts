import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRow, queryRows } from "#kernel/db/statement.ts";
import { type ListCondition, type ListDefinition, listPage, listQuery } from "#kernel/list/list.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, item, noContent } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { ArticleRef } from "../article.ts";
import { SearchDeleted, SearchNoted } from "../events.ts";
import { KnowledgeRead, KnowledgeWrite } from "../permissions.ts";
import { read } from "../service.ts";
import { ArticleSearch, normalizeWords } from "./article-search.ts";

/** Maximum number of stored searches. The least recently used ones are deleted. */
const SEARCHES_MAX = 2_000;

const COLUMNS = 'id, words, searches, opened, found, first_at as "firstAt", last_at as "lastAt"';

const NOTE = `
  insert into article_searches (id, words, searches, opened, found, first_at, last_at)
  values ($1, $2, 1, $3, $4, $5, $5)
  on conflict (workspace_id, environment, words) do update
     set searches = article_searches.searches + 1, opened = article_searches.opened + excluded.opened,
         found = excluded.found, last_at = excluded.last_at
  returning ${COLUMNS}`;

const MAKE_ROOM = `
  delete from article_searches where id in (
    select id from article_searches order by last_at desc offset ${SEARCHES_MAX} limit 10)`;

const COUNT_OPENED = `
  insert into article_opens (article_id, opened) values ($1, 1)
  on conflict (article_id) do update set opened = article_opens.opened + 1`;

export const noteSearch = command({
  id: "knowledge.note_search",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/searches",
  summary: "Record the outcome of a search",
  description:
    "For clients with a search box: call it once for each search, when a result was opened or the search was abandoned. Only the search term is stored, not the user.",
  permission: KnowledgeRead,
  body: object({
    q: line(200),
    found: Type.Integer({ minimum: 0, maximum: 1_000, description: "Number of results" }),
    openedId: Type.Optional(ArticleRef),
  }),
  response: item(
    Type.Object({ words: ArticleSearch.properties.words }, { title: "RecordedSearch" }),
  ),
  emits: [SearchNoted],
  example: { body: { q: "vpn on a train", found: 0 } },
  async run(ctx, { body: { q, found, openedId } }) {
    const words = normalizeWords(q);
    if (!/\p{L}/u.test(words)) throw invalidField("/q", "must contain words");
    if (openedId !== undefined) {
      const article = await read(ctx, openedId);
      await queryRows(ctx.tx, COUNT_OPENED, [article.id]);
    }
    const opened = openedId === undefined ? 0 : 1;
    const values = [newId("srch", ctx.now.getTime()), words, opened, found, ctx.now];
    const search = await queryRow<ArticleSearch>(ctx.tx, NOTE, values);
    if (search.searches === 1) await queryRows(ctx.tx, MAKE_ROOM, []);
    ctx.emit(SearchNoted, { id: search.id, displayName: search.words }, search);
    // Only authors see how often others searched for it.
    return { words };
  },
});

const LIST: ListDefinition = {
  name: "article searches",
  from: "article_searches",
  select: COLUMNS,
  fields: {
    id: { sql: "id", kind: "text" },
    words: { sql: "words", kind: "text" },
    searches: { sql: "searches", kind: "number", type: "int" },
    opened: { sql: "opened", kind: "number", type: "int" },
    found: { sql: "found", kind: "number", type: "int" },
    firstAt: { sql: "first_at", kind: "time" },
    lastAt: { sql: "last_at", kind: "time" },
  },
  search: ["words"],
  order: "-searches",
  tieBreaker: "id",
};

export const listSearches = query({
  id: "knowledge.list_searches",
  route: "GET /api/v1/knowledge/searches",
  summary: "List search terms, most frequent first",
  description: "Search terms are kept for six months after their last use; at most 2,000.",
  permission: KnowledgeWrite,
  query: object({
    ...listQuery,
    unanswered: Type.Optional(
      Type.Boolean({ description: "`true`: only terms without results or without opened results" }),
    ),
  }),
  response: countedPage(ArticleSearch),
  run(ctx, { query: { unanswered, ...listing } }) {
    const conditions: ListCondition[] =
      unanswered === true ? [() => "(found = 0 or opened = 0)"] : [];
    const toItem = (row: unknown) => row as ArticleSearch;
    return listPage(ctx, LIST, listing, { conditions, toItem });
  },
});

export const deleteSearch = command({
  id: "knowledge.delete_search",
  route: "DELETE /api/v1/knowledge/searches/{id}",
  summary: "Dismiss a search term",
  description:
    "Use this when an article covers the term, or none is planned. Its count restarts at zero.",
  permission: KnowledgeWrite,
  params: object({ id: id("srch") }),
  response: noContent(),
  emits: [SearchDeleted],
  example: { params: { id: "srch_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  async run(ctx, { params }) {
    const search = await removeSearch(ctx.tx, params.id);
    // Counting does not change the revision.
    ctx.expectRevision(1);
    ctx.emit(SearchDeleted, { id: search.id, displayName: search.words }, search);
  },
});

async function removeSearch(tx: Tx, searchId: string): Promise<ArticleSearch> {
  const text = `delete from article_searches where id = $1 returning ${COLUMNS}`;
  const [row] = await queryRows<ArticleSearch>(tx, text, [searchId]);
  if (!row) throw new Failure(NotFound);
  return row;
}
