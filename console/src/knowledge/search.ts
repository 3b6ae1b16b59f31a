import { ARTICLE_STATE } from "@millrace/client/enums";

const STATES = ARTICLE_STATE;
export type ArticleState = (typeof STATES)[number];

/** The search parameters of the list: tab, state and search words. */
export interface KnowledgeSearch {
  readonly tab?: "quality" | undefined;
  readonly state?: ArticleState | "due" | undefined;
  readonly q?: string | undefined;
}

export function readKnowledgeSearch(search: Readonly<Record<string, unknown>>): KnowledgeSearch {
  const { tab, state, q } = search;
  return {
    tab: tab === "quality" ? tab : undefined,
    state: state === "due" ? state : STATES.find((one) => one === state),
    q: typeof q === "string" && q !== "" ? q : undefined,
  };
}

/** Search parameters for a new article: the answered search, or the article to copy. */
export interface NewArticleSearch {
  readonly title?: string | undefined;
  /** The id of the search without results. */
  readonly search?: string | undefined;
}

export function readNewArticleSearch(search: Readonly<Record<string, unknown>>): NewArticleSearch {
  const { title, search: id } = search;
  return {
    title: typeof title === "string" ? title : undefined,
    search: typeof id === "string" ? id : undefined,
  };
}
