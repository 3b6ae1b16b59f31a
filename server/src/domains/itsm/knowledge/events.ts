import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, text } from "#kernel/schema/schema.ts";
import { ArticleData, State } from "./article.ts";
import { ArticleSearch } from "./quality/article-search.ts";

const resource = "article";

export const ArticleCreated = event("article.created", {
  resource,
  summary: "A draft article was created.",
  data: ArticleData,
});

export const ArticleUpdated = changeEvent("article.updated", {
  resource,
  summary: "An article was updated. A new title or body creates a new version.",
  data: ArticleData,
});

export const ArticleSubmittedForReview = event("article.submitted_for_review", {
  resource,
  summary: "A draft article was submitted for review.",
  data: ArticleData,
});

export const ArticleReturned = event("article.returned", {
  resource,
  summary: "The review of an article ended: it is a draft again.",
  data: Type.Object(
    { ...ArticleData.properties, reason: text(2_000) },
    { title: "ArticleReturned" },
  ),
});

export const ArticlePublished = event("article.published", {
  resource,
  summary: "An article was published.",
  data: Type.Object(
    // Events of earlier versions do not have this field.
    { ...ArticleData.properties, stateBefore: Type.Optional(State) },
    { title: "ArticlePublished" },
  ),
});

export const ArticleWithdrawn = event("article.withdrawn", {
  resource,
  summary: "A published article was withdrawn: it is a draft or in review again.",
  data: ArticleData,
});

export const ArticleRetired = event("article.retired", {
  resource,
  summary: "An article was retired.",
  data: ArticleData,
});

export const ArticleReinstated = event("article.reinstated", {
  resource,
  summary: "A retired article was published again without changes.",
  data: ArticleData,
});

export const ArticleRestored = event("article.restored", {
  resource,
  summary: "An earlier version of an article was restored.",
  data: ArticleData,
});

export const FeedbackGiven = event("article.feedback_given", {
  resource,
  summary: "A member rated whether an article was helpful.",
  data: Type.Object({
    articleId: id("kb"),
    userId: Type.String(),
    helpful: Type.Boolean(),
    comment: text(2_000),
  }),
});

export const SearchNoted = event("article_search.noted", {
  resource: "article_search",
  summary: "A member searched for articles.",
  data: ArticleSearch,
});

export const SearchDeleted = event("article_search.deleted", {
  resource: "article_search",
  summary: "A search term was dismissed.",
  data: ArticleSearch,
});
