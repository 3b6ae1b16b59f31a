import Type, { type Static } from "typebox";
import { stateMachine, type TicketNumber } from "../tickets/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { id, InputTime, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { KnowledgeWrite } from "./permissions.ts";

const BODY_CHARACTERS_MAX = 200_000;
const TAGS_MAX = 20;

/** How an article lives. A review is optional; a version that is restored brings a retired one back. */
export const articleMachine = stateMachine({
  kind: "article",
  states: ["draft", "in_review", "published", "retired"],
  finalStates: ["retired"],
  transitions: [
    { action: "submit_review", from: ["draft"], to: "in_review" },
    { action: "publish", from: ["draft", "in_review"], to: "published" },
    { action: "retire", from: ["published"], to: "retired" },
    { action: "restore", from: ["retired"], to: "draft" },
  ],
});
export type ArticleState = (typeof articleMachine)["states"][number];
export type ArticleAction = (typeof articleMachine)["transitions"][number]["action"];

export const VISIBILITIES = ["everyone", "agents"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const State = Type.Enum([...articleMachine.states]);
const Visible = Type.Enum([...VISIBILITIES], {
  description: "`agents`: only those who may write articles see it",
});
const Body = text(BODY_CHARACTERS_MAX, "Markdown");
const Tags = Type.Array(line(50), { maxItems: TAGS_MAX, uniqueItems: true });
const AuthorId = id("usr", "A member; at first whoever writes it");

/** What an article is made of by hand. */
export const writable = {
  title: line(300),
  body: Body,
  summary: text(1_000),
  tags: Tags,
  category: nullable(line(100)),
  visibility: Visible,
  authorId: AuthorId,
  reviewDueAt: nullable(InputTime),
};

/** The body of what makes an article. */
export const ArticleDraft = object({
  title: writable.title,
  body: writable.body,
  summary: Type.Optional(writable.summary),
  tags: Type.Optional(writable.tags),
  category: Type.Optional(writable.category),
  visibility: Type.Optional(writable.visibility),
  authorId: Type.Optional(writable.authorId),
  reviewDueAt: Type.Optional(writable.reviewDueAt),
});
export type ArticleDraft = Static<typeof ArticleDraft>;

const known = {
  id: id("kb"),
  number: Type.String(),
  title: writable.title,
  summary: writable.summary,
  tags: Tags,
  category: writable.category,
  state: State,
  visibility: Visible,
  authorId: Type.String(),
  version: Type.Integer({ description: "Counts how often the title or the body was changed" }),
  publishedAt: nullable(Time),
  reviewDueAt: nullable(Time),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

const counts = {
  helpfulCount: Type.Integer({ description: "How many people it helped" }),
  unhelpfulCount: Type.Integer(),
};

/** As lists show it: the body may be long. */
export const ArticleEntry = Type.Object({ ...known, ...counts }, { title: "ArticleEntry" });

/** As events tell it. */
export const ArticleData = Type.Object({ ...known, body: Body }, { title: "ArticleData" });
export type ArticleData = Static<typeof ArticleData>;

export const Article = Type.Object(
  {
    ...known,
    body: Body,
    ...counts,
    html: Type.Optional(Type.String({ description: "The body rendered, with `?format=html`" })),
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

/** What names an article in a path: its id or its number. */
export const ArticleRef = Type.String({
  pattern: `^(${idPattern("kb").replace(/^\^|\$$/g, "")}|KB\\d{7,15})$`,
  description: "The id, or the number: `KB0000001`",
});
export const ByArticle = object({ id: ArticleRef });
export const example = { params: { id: "KB0000001" } };

/** What is worked out before an article is made. */
export interface Prepared extends TicketNumber {
  /** The words of the body, without its marks. */
  readonly plain: string;
}

/** Whether somebody works on articles, and so sees also those that are not for everyone. */
export function mayWrite({ permissions }: Pick<Caller, "permissions">): boolean {
  return permissions.has(KnowledgeWrite.name);
}

/** Which published articles somebody may find. */
export function visibleTo(caller: Pick<Caller, "permissions">): readonly Visibility[] {
  return mayWrite(caller) ? VISIBILITIES : ["everyone"];
}

/** How events name an article. */
export function referTo({ id: articleId, number, title }: Article) {
  return { id: articleId, number, displayName: title };
}

/** As events tell it. */
export function dataOf(article: Article): ArticleData {
  const {
    no: _,
    revision: __,
    html: ___,
    helpfulCount: ____,
    unhelpfulCount: _____,
    ...rest
  } = article;
  return rest;
}
