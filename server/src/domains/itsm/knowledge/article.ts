import Type, { type Static } from "typebox";
import { stateMachine, type TicketNumber } from "../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { id, InputTime, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { KnowledgeWrite } from "./permissions.ts";

const BODY_CHARACTERS_MAX = 200_000;
const TAGS_MAX = 20;

/** The states of an article. A review is optional. Restoring a version turns a retired article into a draft. */
export const articleMachine = stateMachine({
  kind: "article",
  states: ["draft", "in_review", "published", "retired"],
  finalStates: ["retired"],
  transitions: [
    { action: "submit_review", from: ["draft"], to: "in_review" },
    { action: "return", from: ["in_review"], to: "draft" },
    { action: "publish", from: ["draft", "in_review"], to: "published" },
    { action: "retire", from: ["published"], to: "retired" },
    { action: "restore", from: ["retired"], to: "draft" },
    { action: "reinstate", from: ["retired"], to: "published" },
    { action: "withdraw", from: ["published"], to: "draft" },
  ],
});
export type ArticleState = (typeof articleMachine)["states"][number];
export type ArticleAction = (typeof articleMachine)["transitions"][number]["action"];

export const VISIBILITIES = ["everyone", "agents"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const State = Type.Enum([...articleMachine.states]);
const VisibilitySchema = Type.Enum([...VISIBILITIES], {
  description: "`agents`: only visible to members who can write articles",
});
const Body = text(BODY_CHARACTERS_MAX, "Markdown");
const Tags = Type.Array(line(50), { maxItems: TAGS_MAX, uniqueItems: true });
const AuthorId = id("usr", "Id of a member. Default: the creator");
const ReviewerId = nullable(
  id("usr", "Id of a member, who is notified when the article is submitted for review"),
);

const Language = Type.String({
  pattern: "^[a-z]{2}$",
  description:
    "ISO 639-1 code, such as `de`. Full-text search uses the rules of this language. Default: the language of the workspace",
});

/** The editable fields of an article. */
export const writable = {
  title: line(300),
  body: Body,
  summary: text(1_000),
  tags: Tags,
  category: nullable(line(100)),
  visibility: VisibilitySchema,
  language: Language,
  authorId: AuthorId,
  reviewerId: ReviewerId,
  reviewDueAt: nullable(InputTime),
};

export const ArticleInput = object({
  title: writable.title,
  body: writable.body,
  summary: Type.Optional(writable.summary),
  tags: Type.Optional(writable.tags),
  category: Type.Optional(writable.category),
  visibility: Type.Optional(writable.visibility),
  language: Type.Optional(writable.language),
  authorId: Type.Optional(writable.authorId),
  reviewerId: Type.Optional(writable.reviewerId),
  reviewDueAt: Type.Optional(writable.reviewDueAt),
});
export type ArticleInput = Static<typeof ArticleInput>;

const commonFields = {
  id: id("kb"),
  number: Type.String(),
  title: writable.title,
  summary: writable.summary,
  tags: Tags,
  category: writable.category,
  state: State,
  visibility: VisibilitySchema,
  language: Language,
  authorId: Type.String(),
  reviewerId: nullable(Type.String()),
  version: Type.Integer({ description: "Number of changes of the title or the body" }),
  publishedAt: nullable(Time),
  reviewDueAt: nullable(Time),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

const counts = {
  helpfulCount: Type.Integer({ description: "Number of helpful ratings" }),
  unhelpfulCount: Type.Integer(),
  openedCount: Type.Integer({ description: "Number of times it was opened from a search" }),
};

/** An article in a list, without its body. */
export const ArticleEntry = Type.Object({ ...commonFields, ...counts }, { title: "ArticleEntry" });

/** An article in events. */
export const ArticleData = Type.Object(
  {
    ...commonFields,
    // Events of earlier versions do not have these fields.
    language: Type.Optional(Language),
    reviewerId: Type.Optional(commonFields.reviewerId),
    body: Body,
  },
  { title: "ArticleData" },
);
export type ArticleData = Static<typeof ArticleData>;

export const Article = Type.Object(
  {
    ...commonFields,
    body: Body,
    ...counts,
    html: Type.Optional(Type.String({ description: "The body as HTML, with `?format=html`" })),
  },
  { title: "Article" },
);
export type Article = Omit<Static<typeof Article>, "html"> & {
  readonly html?: string;
  readonly no: number;
  readonly revision: number;
};

export const ArticleVersion = Type.Object(
  {
    articleId: id("kb"),
    version: Type.Integer(),
    title: writable.title,
    body: Body,
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "ArticleVersion" },
);
export type ArticleVersion = Static<typeof ArticleVersion>;

/** The path parameter of an article: its id or its number. */
export const ArticleRef = Type.String({
  pattern: `^(${idPattern("kb").replace(/^\^|\$$/g, "")}|KB\\d{7,15})$`,
  description: "The id or the number: `KB0000001`",
});
export const ArticleParams = object({ id: ArticleRef });
export const example = { params: { id: "KB0000001" } };

/** Prepared before the transaction that creates an article. */
export interface PreparedArticle extends TicketNumber {
  /** The body as plain text. */
  readonly plain: string;
}

/** Authors also see restricted articles. */
export function mayWrite({ permissions }: Pick<Caller, "permissions">): boolean {
  return permissions.has(KnowledgeWrite.name);
}

/** The visibilities of published articles that a caller can find. */
export function visibleTo(caller: Pick<Caller, "permissions">): readonly Visibility[] {
  return mayWrite(caller) ? VISIBILITIES : ["everyone"];
}

/** The reference to an article in events. */
export function articleRef({ id: articleId, number, title }: Article) {
  return { id: articleId, number, displayName: title };
}

export function articleEventData(article: Article): ArticleData {
  const {
    no: _,
    revision: __,
    html: ___,
    helpfulCount: ____,
    unhelpfulCount: _____,
    openedCount: ______,
    ...rest
  } = article;
  return rest;
}
