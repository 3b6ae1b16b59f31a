import {
  assertReferencesExist,
  nextState,
  nextTicketNumber,
  invalidTransition,
} from "../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext, WriteContext } from "#kernel/contract.ts";
import { parseTime } from "#kernel/condition/parse-time.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import {
  type Article,
  type ArticleAction,
  type ArticleDraft,
  articleMachine,
  dataOf,
  mayWrite,
  type Prepared,
  referTo,
  visibleTo,
} from "./article.ts";
import {
  ArticleCreated,
  ArticlePublished,
  ArticleRestored,
  ArticleRetired,
  ArticleSubmittedForReview,
  ArticleUpdated,
} from "./events.ts";
import { partitionOf } from "./search/search-query.ts";
import { toPlainText } from "./render-markdown.ts";
import * as store from "./store.ts";

/** Takes a number and the words of the body, before there is a transaction. */
export async function prepareDraft(
  platform: Platform,
  { body }: Pick<ArticleDraft, "body">,
  caller: Caller,
): Promise<Prepared> {
  const [plain, number] = await Promise.all([
    toPlainText(partitionOf(caller).workspace, body),
    nextTicketNumber(platform, caller, "article"),
  ]);
  return { ...number, plain };
}

/** Writes an article, as a draft. */
export async function create(
  ctx: WriteContext<typeof ArticleCreated>,
  draft: ArticleDraft,
  { no, number, plain }: Prepared,
): Promise<Article> {
  const { tx, now, emit } = ctx;
  await assertReferencesExist(ctx, { users: { "/authorId": draft.authorId } });
  const createdBy = writerOf(ctx.caller);
  const article = await store.insert(
    tx,
    {
      id: newId("kb", now.getTime()),
      no,
      number,
      createdBy,
      title: draft.title,
      body: draft.body,
      summary: draft.summary ?? "",
      tags: draft.tags ?? [],
      category: draft.category ?? null,
      state: "draft",
      visibility: draft.visibility ?? "everyone",
      authorId: draft.authorId ?? createdBy,
      version: 1,
      publishedAt: null,
      reviewDueAt: dueOf(draft.reviewDueAt, null),
    },
    { plain, now },
  );
  await keepVersion(ctx, article);
  emit(ArticleCreated, referTo(article), dataOf(article));
  return article;
}

/** The article that a reference names, if the caller may see it: all, or those that are out and for them. */
export async function read({ tx, caller }: ReadContext, ref: string): Promise<Article> {
  const article = await store.get(tx, ref);
  const isOut = article.state === "published" && visibleTo(caller).includes(article.visibility);
  if (!isOut && !mayWrite(caller)) throw new Failure(NotFound);
  return article;
}

/** Changes an article. A published one stays published, with what it says from now on. */
export async function update(
  ctx: WriteContext<typeof ArticleUpdated>,
  ref: string,
  { change, plain }: { readonly change: Partial<ArticleDraft>; readonly plain: string | undefined },
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  if (before.state === "retired") {
    throw invalidTransition(articleMachine, before.state, "A retired article can't be changed.");
  }
  await assertReferencesExist(ctx, { users: { "/authorId": change.authorId } });
  const next = {
    ...before,
    ...change,
    reviewDueAt: dueOf(change.reviewDueAt, before.reviewDueAt),
  };
  if (diffResource(dataOf(before), dataOf(next)).changes.length === 0) return before;
  const isNewVersion = next.title !== before.title || next.body !== before.body;
  const version = before.version + (isNewVersion ? 1 : 0);
  const after = await store.update(ctx.tx, { ...next, version }, { plain, now: ctx.now });
  if (isNewVersion) await keepVersion(ctx, after);
  ctx.emit(ArticleUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

const MOVED = {
  submit_review: ArticleSubmittedForReview,
  publish: ArticlePublished,
  retire: ArticleRetired,
} as const;
type Step = keyof typeof MOVED & ArticleAction;

/** Moves an article on, by the machine. */
export async function move<A extends Step>(
  ctx: WriteContext<(typeof MOVED)[A]>,
  ref: string,
  action: A,
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  const state = nextState(articleMachine, before.state, action);
  const publishedAt = action === "publish" ? ctx.now.toISOString() : before.publishedAt;
  const next = { ...before, state, publishedAt };
  const after = await store.update(ctx.tx, next, { plain: undefined, now: ctx.now });
  // The event is the action's own, by the table above.
  const { emit } = ctx as unknown as WriteContext<typeof ArticlePublished>;
  emit(MOVED[action] as typeof ArticlePublished, referTo(after), dataOf(after));
  return after;
}

/** Makes what an earlier version says the newest version. A retired article is a draft again. */
export async function restore(
  ctx: WriteContext<typeof ArticleRestored>,
  ref: string,
  { version, plain }: { readonly version: number; readonly plain: string },
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  const { title, body } = await store.getVersion(ctx.tx, before.id, version);
  const state =
    before.state === "retired" ? nextState(articleMachine, before.state, "restore") : before.state;
  const next = { ...before, title, body, state, version: before.version + 1 };
  const after = await store.update(ctx.tx, next, { plain, now: ctx.now });
  await keepVersion(ctx, after);
  ctx.emit(ArticleRestored, referTo(after), dataOf(after));
  return after;
}

/** The person, or what else acts. */
export function writerOf({ principal, actor }: Caller): string {
  return principal?.id ?? actor.id;
}

function keepVersion({ tx, caller, now }: WriteContext<never>, article: Article): Promise<void> {
  const { id: articleId, version, title, body } = article;
  const about = { createdBy: writerOf(caller), createdAt: now.toISOString() };
  return store.insertVersion(tx, { articleId, version, title, body, ...about });
}

/** In the form that rows have it, so that the same time is no change. */
function dueOf(given: string | null | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  if (given === null) return null;
  const time = parseTime(given);
  if (time === undefined) throw invalidField("/reviewDueAt", "is beyond the year 9999 in UTC");
  return time;
}
