import Type from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { type ListDefinition, listPage, listQuery, type ListCondition } from "#kernel/list/list.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { line, object, patch, text } from "#kernel/schema/schema.ts";
import {
  Article,
  ArticleInput,
  ArticleEntry,
  articleMachine,
  ArticleParams,
  example,
  mayWrite,
  State,
  writable,
} from "./article.ts";
import {
  ArticleCreated,
  ArticlePublished,
  ArticleReinstated,
  ArticleRetired,
  ArticleReturned,
  ArticleSubmittedForReview,
  ArticleWithdrawn,
  ArticleUpdated,
} from "./events.ts";
import { KnowledgeRead, KnowledgeWrite } from "./permissions.ts";
import { findPictureIds, findShownIds, linkFiles } from "./markdown/pictures.ts";
import { toHtml, toPlainText } from "./markdown/render-markdown.ts";
import * as service from "./service.ts";
import { ENTRY_COLUMNS } from "./store.ts";

const LIST: ListDefinition = {
  name: "articles",
  from: "articles",
  select: ENTRY_COLUMNS,
  fields: {
    number: { sql: "number", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    title: { sql: "title", kind: "text" },
    state: { sql: "state", kind: "text" },
    visibility: { sql: "visibility", kind: "text" },
    language: { sql: "language", kind: "text" },
    category: { sql: "category", kind: "text", nullable: true },
    tags: { sql: "tags", kind: "texts" },
    authorId: { sql: "author_id", kind: "text" },
    reviewerId: { sql: "reviewer_id", kind: "text", nullable: true },
    createdBy: { sql: "created_by", kind: "text" },
    version: { sql: "version", kind: "number", type: "int" },
    publishedAt: { sql: "published_at", kind: "time", nullable: true },
    reviewDueAt: { sql: "review_due_at", kind: "time", nullable: true },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "summary"],
  order: "-updatedAt",
  tieBreaker: "no",
};

export const listArticles = query({
  id: "knowledge.list",
  route: "GET /api/v1/knowledge",
  summary: "List articles, last changed first",
  description:
    "Returns articles without their bodies. Without permission to write articles, you see only published articles for everyone.",
  permission: KnowledgeRead,
  query: object({
    ...listQuery,
    state: Type.Optional(State),
    tag: Type.Optional(line(50)),
    unhelpful: Type.Optional(
      Type.Boolean({ description: "`true`: only articles that were rated as not helpful" }),
    ),
  }),
  response: countedPage(withRevision(ArticleEntry)),
  run(ctx, { query: { state, tag, unhelpful, ...listing } }) {
    const conditions: ListCondition[] = [];
    if (!mayWrite(ctx.caller))
      conditions.push(() => "state = 'published' and visibility = 'everyone'");
    if (state !== undefined)
      conditions.push((parameters) => `state = ${parameters.add(state, "text")}`);
    if (tag !== undefined)
      conditions.push((parameters) => `${parameters.add(tag, "text")} = any (tags)`);
    if (unhelpful === true)
      conditions.push(
        () =>
          "exists (select from article_feedback f where f.article_id = articles.id and not f.helpful)",
      );
    // The select list has the columns of a list entry.
    const toItem = (row: unknown) =>
      row as Type.Static<typeof ArticleEntry> & { readonly revision: number };
    return listPage(ctx, LIST, listing, { conditions, toItem });
  },
});

export const createArticle = command({
  id: "knowledge.create",
  effect: "ordinary",
  route: "POST /api/v1/knowledge",
  summary: "Create an article",
  description:
    "The article is a draft until it is published. Images (`![The dialog](file_…)`) must be files that you uploaded. They are attached to the article.",
  permission: KnowledgeWrite,
  body: ArticleInput,
  response: created(Article, { location: ({ id }) => `/api/v1/knowledge/${id}` }),
  emits: [ArticleCreated],
  example: {
    body: {
      title: "Reset the VPN client",
      body: "1. Quit the client.\n2. Delete its profile.\n3. Sign in again.",
      tags: ["vpn", "network"],
    },
  },
  prepare: (platform, { body }, caller) => service.prepareArticle(platform, body, caller),
  run: (ctx, { body }, prepared) => service.create(ctx, body, prepared),
});

export const getArticle = query({
  id: "knowledge.get",
  route: "GET /api/v1/knowledge/{id}",
  summary: "Get an article",
  permission: KnowledgeRead,
  params: ArticleParams,
  query: object({
    format: Type.Optional(
      Type.Enum(["markdown", "html"], { description: "`html` adds the body as HTML, in `html`" }),
    ),
  }),
  response: item(Article),
  example: { ...example, query: { format: "html" } },
  async prepare(platform, { params, query: { format } }, caller) {
    if (format !== "html") return undefined;
    const { db, clock } = platform;
    const ctx = { now: clock.now(), caller, services: platform };
    const partition = partitionOfCaller(caller);
    const [article, pictureIds] = await db.read(partition, async (tx) => {
      const found = await service.read({ ...ctx, tx }, params.id);
      return [found, await findPictureIds(tx, found.id)] as const;
    });
    const html = await toHtml(partition.workspace, article.body);
    return { ...article, html: linkFiles(html, pictureIds, ctx) };
  },
  run: async (ctx, { params }, rendered) => rendered ?? service.read(ctx, params.id),
});

export const previewArticle = query({
  id: "knowledge.preview",
  route: "POST /api/v1/knowledge/preview",
  summary: "Preview Markdown as HTML",
  description: "Can show images from articles and images that you uploaded.",
  permission: KnowledgeWrite,
  body: object({ body: writable.body }),
  response: item(Type.Object({ html: Type.String() }, { title: "ArticlePreview" })),
  example: { body: { body: "1. Quit the client.\n2. Start it *again*." } },
  async prepare(platform, { body: { body } }, caller) {
    const partition = partitionOfCaller(caller);
    const [html, fileIds] = await Promise.all([
      toHtml(partition.workspace, body),
      platform.db.read(partition, (tx) => findShownIds(tx, caller, body)),
    ]);
    return { html: linkFiles(html, fileIds, { services: platform, caller }) };
  },
  run: async (_ctx, _input, rendered) => rendered,
});

export const updateArticle = command({
  id: "knowledge.update",
  effect: "ordinary",
  route: "PATCH /api/v1/knowledge/{id}",
  summary: "Update an article",
  description:
    "A new title or body creates a new version. A published article stays published with the new version. A retired article can't be changed.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  body: patch(writable),
  response: item(Article),
  emits: [ArticleUpdated],
  allowNoop: true,
  fails: [articleMachine.wrongState],
  example: { ...example, body: { body: "1. Quit the client.\n2. Start it again." } },
  prepare: async (_platform, { body }, caller) =>
    body.body === undefined
      ? undefined
      : toPlainText(partitionOfCaller(caller).workspace, body.body),
  run: (ctx, { params, body }, plain) => service.update(ctx, params.id, { change: body, plain }),
});

export const submitReview = command({
  id: "knowledge.submit_review",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/{id}/review",
  summary: "Submit a draft for review",
  description:
    "Optional: a draft can be published without review. Publishing an article approves it.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  response: item(Article),
  emits: [ArticleSubmittedForReview],
  fails: [articleMachine.wrongState],
  example,
  run: (ctx, { params }) => service.transition(ctx, params.id, "submit_review"),
});

export const returnArticle = command({
  id: "knowledge.return",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/{id}/return",
  summary: "Return an article from review",
  description: "The article becomes a draft, and its author is notified with the reason.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  body: object({ reason: text(2_000) }),
  response: item(Article),
  emits: [ArticleReturned],
  fails: [articleMachine.wrongState],
  example: { ...example, body: { reason: "Step 2 is about the old client." } },
  run: (ctx, { params, body }) => service.returnDraft(ctx, params.id, body.reason),
});

export const publishArticle = command({
  id: "knowledge.publish",
  effect: "drastic",
  route: "POST /api/v1/knowledge/{id}/publish",
  summary: "Publish an article",
  permission: KnowledgeWrite,
  params: ArticleParams,
  response: item(Article),
  emits: [ArticlePublished],
  fails: [articleMachine.wrongState],
  example,
  run: (ctx, { params }) => service.transition(ctx, params.id, "publish"),
});

export const retireArticle = command({
  id: "knowledge.retire",
  route: "POST /api/v1/knowledge/{id}/retire",
  summary: "Retire an article",
  description:
    "The article is kept, but not found by searches. You can reinstate it without changes; restoring a version makes it a draft.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  response: item(Article),
  emits: [ArticleRetired],
  fails: [articleMachine.wrongState],
  example,
  run: (ctx, { params }) => service.transition(ctx, params.id, "retire"),
});

export const reinstateArticle = command({
  id: "knowledge.reinstate",
  effect: "drastic",
  route: "POST /api/v1/knowledge/{id}/reinstate",
  summary: "Reinstate a retired article",
  description: "Publishes the article again without changes, with its original publication date.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  response: item(Article),
  emits: [ArticleReinstated],
  fails: [articleMachine.wrongState],
  example,
  run: (ctx, { params }) => service.transition(ctx, params.id, "reinstate"),
});

export const withdrawArticle = command({
  id: "knowledge.withdraw",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/{id}/withdraw",
  summary: "Unpublish an article",
  description: "The article becomes a draft. Readers can't find it until you publish it again.",
  permission: KnowledgeWrite,
  params: ArticleParams,
  response: item(Article),
  emits: [ArticleWithdrawn],
  fails: [articleMachine.wrongState],
  example,
  run: (ctx, { params }) => service.withdraw(ctx, params.id),
});
