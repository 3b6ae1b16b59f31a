import {
  assertReferencesExist,
  nextState,
  nextTicketNumber,
  invalidTransition,
} from "../tickets/index.ts";
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext, WriteContext } from "#kernel/contract.ts";
import { parseTime } from "#kernel/condition/parse-time.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import {
  type Article,
  type ArticleAction,
  type ArticleInput,
  articleMachine,
  articleEventData,
  mayWrite,
  type PreparedArticle,
  articleRef,
  visibleTo,
} from "./article.ts";
import {
  ArticleCreated,
  ArticlePublished,
  ArticleReinstated,
  ArticleRestored,
  ArticleRetired,
  ArticleReturned,
  ArticleSubmittedForReview,
  ArticleUpdated,
  ArticleWithdrawn,
} from "./events.ts";
import { attachPictures } from "./markdown/pictures.ts";
import { toPlainText } from "./markdown/render-markdown.ts";
import * as store from "./store.ts";

/** Allocates a number and renders the plain text before the transaction. */
export async function prepareArticle(
  platform: Platform,
  { body }: Pick<ArticleInput, "body">,
  caller: Caller,
): Promise<PreparedArticle> {
  const [plain, number] = await Promise.all([
    toPlainText(partitionOfCaller(caller).workspace, body),
    nextTicketNumber(platform, caller, "article"),
  ]);
  return { ...number, plain };
}

/** Creates an article as a draft. */
export async function create(
  ctx: WriteContext<typeof ArticleCreated>,
  input: ArticleInput,
  { no, number, plain }: PreparedArticle,
): Promise<Article> {
  const { tx, now, emit } = ctx;
  await assertReferencesExist(ctx, {
    users: { "/authorId": input.authorId, "/reviewerId": input.reviewerId ?? undefined },
  });
  const createdBy = authorOf(ctx.caller);
  const article = await store.insert(
    tx,
    {
      id: newId("kb", now.getTime()),
      no,
      number,
      createdBy,
      title: input.title,
      body: input.body,
      summary: input.summary ?? "",
      tags: input.tags ?? [],
      category: input.category ?? null,
      state: "draft",
      visibility: input.visibility ?? "everyone",
      language: input.language ?? (await store.readLanguage(tx)),
      authorId: input.authorId ?? createdBy,
      reviewerId: input.reviewerId ?? null,
      version: 1,
      publishedAt: null,
      reviewDueAt: parseReviewDue(input.reviewDueAt, null),
    },
    { plain, now },
  );
  await insertVersion(ctx, article);
  emit(ArticleCreated, articleRef(article), articleEventData(article));
  return article;
}

/** Reads an article visible to the caller: published and visible, or any article for authors. */
export async function read({ tx, caller }: ReadContext, ref: string): Promise<Article> {
  const article = await store.get(tx, ref);
  const isVisible = article.state === "published" && visibleTo(caller).includes(article.visibility);
  if (!isVisible && !mayWrite(caller)) throw new Failure(NotFound);
  return article;
}

/** Changes an article. A published article stays published with its new version. */
export async function update(
  ctx: WriteContext<typeof ArticleUpdated>,
  ref: string,
  { change, plain }: { readonly change: Partial<ArticleInput>; readonly plain: string | undefined },
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  if (before.state === "retired") {
    throw invalidTransition(articleMachine, before.state, "A retired article can't be changed.");
  }
  await assertReferencesExist(ctx, {
    users: { "/authorId": change.authorId, "/reviewerId": change.reviewerId ?? undefined },
  });
  const next = {
    ...before,
    ...change,
    reviewDueAt: parseReviewDue(change.reviewDueAt, before.reviewDueAt),
  };
  if (diffResource(articleEventData(before), articleEventData(next)).changes.length === 0)
    return before;
  const isNewVersion = next.title !== before.title || next.body !== before.body;
  const version = before.version + (isNewVersion ? 1 : 0);
  const after = await store.update(ctx.tx, { ...next, version }, { plain, now: ctx.now });
  if (isNewVersion) await insertVersion(ctx, after);
  ctx.emit(
    ArticleUpdated,
    articleRef(after),
    diffResource(articleEventData(before), articleEventData(after)),
  );
  return after;
}

const TRANSITION_EVENTS = {
  submit_review: ArticleSubmittedForReview,
  publish: ArticlePublished,
  retire: ArticleRetired,
  reinstate: ArticleReinstated,
} as const;
type TransitionAction = keyof typeof TRANSITION_EVENTS & ArticleAction;

/** Applies a transition of the state machine. */
export async function transition<A extends TransitionAction>(
  ctx: WriteContext<(typeof TRANSITION_EVENTS)[A]>,
  ref: string,
  action: A,
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  const state = nextState(articleMachine, before.state, action);
  const publishedAt = action === "publish" ? ctx.now.toISOString() : before.publishedAt;
  const next = { ...before, state, publishedAt };
  const after = await store.update(ctx.tx, next, { plain: undefined, now: ctx.now });
  // `TRANSITION_EVENTS` has the event of each action.
  const { emit } = ctx as unknown as WriteContext<typeof ArticlePublished>;
  emit(TRANSITION_EVENTS[action] as typeof ArticlePublished, articleRef(after), {
    ...articleEventData(after),
    ...(action === "publish" && { stateBefore: before.state }),
  });
  return after;
}

/** Turns a published article into a draft, or for an undo into its previous state. */
export async function withdraw(
  ctx: WriteContext<typeof ArticleWithdrawn>,
  ref: string,
  to?: Article["state"],
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  const state = nextState(articleMachine, before.state, "withdraw");
  const next = { ...before, state: to ?? state, publishedAt: null };
  const after = await store.update(ctx.tx, next, { plain: undefined, now: ctx.now });
  ctx.emit(ArticleWithdrawn, articleRef(after), articleEventData(after));
  return after;
}

/** Restores an earlier version as the newest one. A retired article becomes a draft. */
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
  await insertVersion(ctx, after);
  ctx.emit(ArticleRestored, articleRef(after), articleEventData(after));
  return after;
}

/** Returns an article in review to a draft, with a reason. */
export async function returnDraft(
  ctx: WriteContext<typeof ArticleReturned>,
  ref: string,
  reason: string,
): Promise<Article> {
  const before = await store.lock(ctx.tx, ref);
  const next = { ...before, state: nextState(articleMachine, before.state, "return") };
  const after = await store.update(ctx.tx, next, { plain: undefined, now: ctx.now });
  ctx.emit(ArticleReturned, articleRef(after), { ...articleEventData(after), reason });
  return after;
}

async function insertVersion(ctx: WriteContext<never>, article: Article): Promise<void> {
  const { id: articleId, version, title, body } = article;
  const { tx, caller, now } = ctx;
  const about = { createdBy: authorOf(caller), createdAt: now.toISOString() };
  await attachPictures(ctx, articleId, body);
  await store.insertVersion(tx, { articleId, version, title, body, ...about });
}

/** Normalises the time to the stored form, so that an equal time does not count as a change. */
function parseReviewDue(
  reviewDueAt: string | null | undefined,
  before: string | null,
): string | null {
  if (reviewDueAt === undefined) return before;
  if (reviewDueAt === null) return null;
  const time = parseTime(reviewDueAt);
  if (time === undefined)
    throw invalidField("/reviewDueAt", "must not be after the year 9999 in UTC");
  return time;
}
