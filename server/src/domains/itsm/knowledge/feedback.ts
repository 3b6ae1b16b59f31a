import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRow, queryRows } from "#kernel/db/statement.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { id, object, text, Time } from "#kernel/schema/schema.ts";
import { ArticleParams, example, articleRef } from "./article.ts";
import { FeedbackGiven } from "./events.ts";
import { KnowledgeRead, KnowledgeWrite } from "./permissions.ts";
import { read } from "./service.ts";
import * as store from "./store.ts";

const Comment = text(2_000);
const Feedback = Type.Object(
  {
    articleId: id("kb"),
    userId: Type.String(),
    helpful: Type.Boolean(),
    comment: Comment,
    createdAt: Time,
  },
  { title: "ArticleFeedback" },
);
type Feedback = Type.Static<typeof Feedback>;

export const giveFeedback = command({
  id: "knowledge.give_feedback",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/{id}/feedback",
  summary: "Rate an article as helpful or not helpful",
  description: "Each member has one rating. A new rating replaces the previous one.",
  permission: KnowledgeRead,
  params: ArticleParams,
  body: object({ helpful: Type.Boolean(), comment: Type.Optional(Comment) }),
  response: item(Feedback),
  emits: [FeedbackGiven],
  example: { ...example, body: { helpful: true, comment: "Step 2 solved it." } },
  async run(ctx, { params, body: { helpful, comment = "" } }) {
    const article = await read(ctx, params.id);
    const data = { articleId: article.id, userId: authorOf(ctx.caller), helpful, comment };
    const feedback = await upsertFeedback(ctx.tx, {
      ...data,
      createdAt: ctx.now.toISOString(),
    });
    ctx.emit(FeedbackGiven, articleRef(article), data);
    return feedback;
  },
});

export const listFeedback = query({
  id: "knowledge.list_feedback",
  route: "GET /api/v1/knowledge/{id}/feedback",
  summary: "List ratings of an article",
  permission: KnowledgeWrite,
  params: ArticleParams,
  query: object(pageQuery),
  response: page(Feedback),
  example,
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    const { id: articleId } = await store.get(tx, params.id);
    const list = `feedback on ${articleId}`;
    const [last = ""] = after === undefined ? [] : cursors.decode(list, after);
    const rows = await listFeedbackRows(tx, articleId, { after: String(last), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => cursors.encode(list, [row.userId]),
    );
  },
});

const COLUMNS =
  'article_id as "articleId", user_id as "userId", helpful, comment, created_at as "createdAt"';

const UPSERT = `
  insert into article_feedback (article_id, user_id, helpful, comment, created_at)
  values ($1, $2, $3, $4, $5)
  on conflict (article_id, user_id) do update
     set helpful = excluded.helpful, comment = excluded.comment, created_at = excluded.created_at
  returning ${COLUMNS}`;

async function upsertFeedback(tx: Tx, feedback: Feedback): Promise<Feedback> {
  const { articleId, userId, helpful, comment, createdAt } = feedback;
  return queryRow<Feedback>(tx, UPSERT, [articleId, userId, helpful, comment, createdAt]);
}

async function listFeedbackRows(
  tx: Tx,
  articleId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly Feedback[]> {
  const statement = `
    select ${COLUMNS} from article_feedback
     where article_id = $1 and user_id > $2 order by user_id limit $3`;
  return queryRows<Feedback>(tx, statement, [articleId, after, limit]);
}
