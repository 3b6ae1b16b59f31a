import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { articleVisibility, searchVisibility } from "./event-visibility.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import * as events from "./events.ts";
import { giveFeedback, listFeedback } from "./feedback.ts";
import { articleReader, embedArticle, embedTicket, ticketReader } from "./search/embedding-jobs.ts";
import {
  createArticle,
  getArticle,
  listArticles,
  previewArticle,
  publishArticle,
  reinstateArticle,
  withdrawArticle,
  retireArticle,
  returnArticle,
  submitReview,
  updateArticle,
} from "./operations.ts";
import { articleFileOwner } from "./markdown/pictures.ts";
import { deleteSearch, listSearches, noteSearch } from "./quality/operations.ts";
import { searchRetentionJob } from "./quality/retention.ts";
import { articleContent } from "./pack.ts";
import { KnowledgeRead, KnowledgeWrite } from "./permissions.ts";
import { articleSource, askArticles, searchArticles } from "./search/search.ts";
import { publicationInverse } from "./publication-inverse.ts";
import { reviewReader } from "./review-notification.ts";
import { read } from "./service.ts";
import { suggestForIncident } from "./search/suggestions.ts";
import { getVersion, listVersions, restoreVersion } from "./versions.ts";

export const knowledge = domain({
  name: "knowledge",
  summary: "Knowledge articles with full-text and semantic search.",
  permissions: [KnowledgeRead, KnowledgeWrite],
  events: Object.values(events),
  operations: [
    listArticles,
    createArticle,
    searchArticles,
    askArticles,
    noteSearch,
    listSearches,
    deleteSearch,
    previewArticle,
    getArticle,
    updateArticle,
    submitReview,
    returnArticle,
    publishArticle,
    retireArticle,
    reinstateArticle,
    withdrawArticle,
    listVersions,
    getVersion,
    restoreVersion,
    giveFeedback,
    listFeedback,
    suggestForIncident,
  ],
  readers: [articleReader, ticketReader, reviewReader],
  jobs: [embedArticle, embedTicket, searchRetentionJob],
  contributions: [
    contribute(InversePoint, {
      resourceType: "article",
      updated: ["article.updated"],
      get: "knowledge.get",
      update: "knowledge.update",
    }),
    contribute(InversePoint, publicationInverse),
    contribute(FileOwnerPoint, articleFileOwner(read)),
    contribute(EventVisibilityPoint, articleVisibility, searchVisibility),
    contribute(PackContentPoint, articleContent),
    contribute(SearchSourcePoint, articleSource),
  ],
});
