import type { Schemas } from "../../data/api.ts";

type Article = Schemas["Article"];

/** The editable part of an article. */
export type ArticleDraft = Pick<
  Article,
  "title" | "body" | "summary" | "tags" | "category" | "visibility" | "reviewDueAt" | "reviewerId"
> & { readonly authorId: string | undefined };

export const FORMAT = { format: "markdown" } as const;

export function draftOf(article: Article | undefined, title: string): ArticleDraft {
  return {
    title: article?.title ?? title,
    body: article?.body ?? "",
    summary: article?.summary ?? "",
    tags: article?.tags ?? [],
    category: article?.category ?? null,
    visibility: article?.visibility ?? "everyone",
    reviewDueAt: article?.reviewDueAt ?? null,
    authorId: article?.authorId,
    reviewerId: article?.reviewerId ?? null,
  };
}
