import { ARTICLE_STATE } from "@millrace/client/enums";

const STATES = ARTICLE_STATE;
export type ArticleState = (typeof STATES)[number];

/** The address of the list: which of its two tabs, which articles, and what is searched for. */
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

/** The address of a new article: what it is to answer, or what it is copied from. */
export interface NewArticleSearch {
  readonly title?: string | undefined;
  /** The search that nobody had an answer to. */
  readonly search?: string | undefined;
}

export function readNewArticleSearch(search: Readonly<Record<string, unknown>>): NewArticleSearch {
  const { title, search: id } = search;
  return {
    title: typeof title === "string" ? title : undefined,
    search: typeof id === "string" ? id : undefined,
  };
}
