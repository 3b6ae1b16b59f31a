import { refColumn } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Article, ArticleVersion } from "./article.ts";

/** Body characters that always fit in a tsvector. */
const SEARCHED_CHARACTERS_MAX = 100_000;

const COUNTS = `
  (select count(*) from article_feedback f where f.article_id = articles.id and f.helpful)::int
    as "helpfulCount",
  (select count(*) from article_feedback f where f.article_id = articles.id and not f.helpful)::int
    as "unhelpfulCount",
  coalesce((select opened from article_opens o where o.article_id = articles.id), 0) as "openedCount"`;

/** The select list of an article in a list. */
export const ENTRY_COLUMNS = `
  id, no, number, title, summary, tags, category, state, visibility, language, author_id as "authorId",
  reviewer_id as "reviewerId", version,
  published_at as "publishedAt", review_due_at as "reviewDueAt", created_by as "createdBy", revision,
  created_at as "createdAt", updated_at as "updatedAt", ${COUNTS}`;
const ARTICLE_COLUMNS = `${ENTRY_COLUMNS}, body`;

export type ArticleRow = Pick<
  Article,
  | "title"
  | "body"
  | "summary"
  | "tags"
  | "category"
  | "state"
  | "visibility"
  | "language"
  | "authorId"
  | "reviewerId"
  | "version"
  | "publishedAt"
  | "reviewDueAt"
>;

/** SQL for the search vector of an article, from SQL of its parts. */
function searchVectorSql(of: {
  readonly language: string;
  readonly title: string;
  readonly about: string;
  readonly plain: string;
}) {
  const { language, title, about, plain } = of;
  const config = `text_config(${language})`;
  return `
    setweight(to_tsvector(${config}, ${title}), 'A') || setweight(to_tsvector('simple', ${title}), 'A')
    || setweight(to_tsvector(${config}, ${about}), 'B') || setweight(to_tsvector('simple', ${about}), 'B')
    || setweight(to_tsvector(${config}, left(${plain}, ${SEARCHED_CHARACTERS_MAX})), 'C')`;
}

const NEW_SEARCH_VECTOR = searchVectorSql({
  language: "$14::text",
  title: "$1::text",
  about: "concat_ws(' ', $4::text, $6::text, array_to_string($5::text[], ' '))",
  plain: "coalesce($3::text, plain)",
});

const INSERT = `
  insert into articles (title, body, plain, summary, tags, category, state, visibility, author_id,
                        version, published_at, review_due_at, updated_at, language, id, no, number,
                        created_by, created_at, reviewer_id, words)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $16, $17, $18, $19, $13, $15,
          ${NEW_SEARCH_VECTOR.replace("coalesce($3::text, plain)", "$3::text")})
  returning ${ARTICLE_COLUMNS}`;

const UPDATE = `
  update articles
     set title = $1, body = $2, plain = coalesce($3::text, plain), summary = $4, tags = $5, category = $6,
         state = $7, visibility = $8, author_id = $9, version = $10, published_at = $11,
         review_due_at = $12, updated_at = $13, language = $14, reviewer_id = $15, revision = revision + 1,
         words = ${NEW_SEARCH_VECTOR}
   where id = $16
  returning ${ARTICLE_COLUMNS}`;

export interface WriteOptions {
  /** The body as plain text; undefined if it does not change. */
  readonly plain: string | undefined;
  readonly now: Date;
}

export async function insert(
  tx: Tx,
  article: ArticleRow & Pick<Article, "id" | "no" | "number" | "createdBy">,
  options: WriteOptions,
): Promise<Article> {
  const { id, no, number, createdBy } = article;
  const values = [...toValues(article, options), id, no, number, createdBy];
  return toFoundArticle((await queryRows(tx, INSERT, values))[0]);
}

export async function update(
  tx: Tx,
  article: ArticleRow & Pick<Article, "id">,
  options: WriteOptions,
): Promise<Article> {
  const values = [...toValues(article, options), article.id];
  return toFoundArticle((await queryRows(tx, UPDATE, values))[0]);
}

function toValues(article: ArticleRow, { plain, now }: WriteOptions): readonly unknown[] {
  const { title, body, summary, tags, category, state, visibility, authorId, version } = article;
  return [
    title,
    body,
    plain ?? null,
    summary,
    tags,
    category,
    state,
    visibility,
    authorId,
    version,
    article.publishedAt,
    article.reviewDueAt,
    now,
    article.language,
    article.reviewerId,
  ];
}

/** Reads an article by its id or number. */
export async function get(tx: Tx, ref: string): Promise<Article> {
  return toFoundArticle((await queryRows(tx, selectSql(ref), [ref]))[0]);
}

/** Locks an article until the transaction ends. */
export async function lock(tx: Tx, ref: string): Promise<Article> {
  return toFoundArticle((await queryRows(tx, `${selectSql(ref)} for update`, [ref]))[0]);
}

/** Locks the existing articles in a fixed order. */
export async function lockAll(tx: Tx, ids: readonly string[]): Promise<readonly Article[]> {
  const text = `select ${ARTICLE_COLUMNS} from articles where id = any($1::text[]) order by id for update`;
  return queryRows<Article>(tx, text, [ids]);
}

/** An article in search results. */
export type PublishedArticle = Pick<
  Article,
  "id" | "number" | "title" | "summary" | "tags" | "category" | "publishedAt"
>;

/** Lists the published and visible articles. */
export async function listPublished(
  tx: Tx,
  ids: readonly string[],
  visible: readonly string[],
): Promise<readonly PublishedArticle[]> {
  if (ids.length === 0) return [];
  const text = `
    select id, number, title, summary, tags, category, published_at as "publishedAt" from articles
     where id = any($1::text[]) and state = 'published' and visibility = any($2::text[])`;
  return queryRows<PublishedArticle>(tx, text, [ids, visible]);
}

export async function insertVersion(tx: Tx, version: ArticleVersion): Promise<void> {
  await tx
    .insertInto("article_versions")
    .values({
      article_id: version.articleId,
      version: version.version,
      title: version.title,
      body: version.body,
      created_by: version.createdBy,
      created_at: version.createdAt,
    })
    .execute();
}

export async function getVersion(
  tx: Tx,
  articleId: string,
  version: number,
): Promise<ArticleVersion> {
  const [row] = await listVersions(tx, articleId, { before: version + 1, limit: 1 });
  if (row?.version !== version) throw new Failure(NotFound);
  return row;
}

/** Lists article versions, newest first. */
export async function listVersions(
  tx: Tx,
  articleId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly ArticleVersion[]> {
  const rows = await tx
    .selectFrom("article_versions")
    .select(["article_id as articleId", "version", "title", "body"])
    .select(["created_by as createdBy", "created_at as createdAt"])
    .where("article_id", "=", articleId)
    .where("version", "<", before)
    .orderBy("version", "desc")
    .limit(limit)
    .execute();
  return rows;
}

function selectSql(ref: string): string {
  return `select ${ARTICLE_COLUMNS} from articles where ${refColumn(ref)} = $1`;
}

function toFoundArticle(row: SqlRow | undefined): Article {
  if (!row) throw new Failure(NotFound);
  // The select list has the columns of an article.
  return row as unknown as Article;
}

/** Reads the workspace language, the default language of articles. */
export async function readLanguage(tx: Tx): Promise<string> {
  const text = `
    select locale from workspaces where key = current_setting('millrace.workspace')::uuid`;
  const [row] = await queryRows(tx, text, []);
  const language = String(row?.["locale"]).slice(0, 2).toLowerCase();
  return /^[a-z]{2}$/.test(language) ? language : "en";
}
