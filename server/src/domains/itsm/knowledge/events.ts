import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, text } from "#kernel/schema/schema.ts";
import { ArticleData, State } from "./article.ts";
import { ArticleSearch } from "./quality/article-search.ts";

const resource = "article";

export const ArticleCreated = event("article.created", {
  resource,
  summary: "An article was written, as a draft.",
  data: ArticleData,
});

export const ArticleUpdated = changeEvent("article.updated", {
  resource,
  summary: "An article was changed. A new title or body makes a new version.",
  data: ArticleData,
});

export const ArticleSubmittedForReview = event("article.submitted_for_review", {
  resource,
  summary: "A draft was given to others to review.",
  data: ArticleData,
});

export const ArticleReturned = event("article.returned", {
  resource,
  summary: "An article that others were to review was made a draft again.",
  data: Type.Object(
    { ...ArticleData.properties, reason: text(2_000) },
    { title: "ArticleReturned" },
  ),
});

export const ArticlePublished = event("article.published", {
  resource,
  summary: "An article was published: people find it from now on.",
  data: Type.Object(
    // Events of earlier versions do not have it.
    { ...ArticleData.properties, stateBefore: Type.Optional(State) },
    { title: "ArticlePublished" },
  ),
});

export const ArticleWithdrawn = event("article.withdrawn", {
  resource,
  summary: "A published article is a draft again, or under review: people no longer find it.",
  data: ArticleData,
});

export const ArticleRetired = event("article.retired", {
  resource,
  summary: "An article was retired: people no longer find it.",
  data: ArticleData,
});

export const ArticleReinstated = event("article.reinstated", {
  resource,
  summary: "A retired article is published again, as it was.",
  data: ArticleData,
});

export const ArticleRestored = event("article.restored", {
  resource,
  summary: "An earlier version of an article was made its newest one.",
  data: ArticleData,
});

export const FeedbackGiven = event("article.feedback_given", {
  resource,
  summary: "Somebody said whether an article helped them.",
  data: Type.Object({
    articleId: id("kb"),
    userId: Type.String(),
    helpful: Type.Boolean(),
    comment: text(2_000),
  }),
});

export const SearchNoted = event("article_search.noted", {
  resource: "article_search",
  summary: "Somebody searched the articles, and opened one or went away.",
  data: ArticleSearch,
});

export const SearchDeleted = event("article_search.deleted", {
  resource: "article_search",
  summary: "What people searched for was put aside.",
  data: ArticleSearch,
});
