import type { State } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse } from "#kernel/undo/inverse.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { ArticleState } from "./article.ts";
import type {
  ArticlePublished,
  ArticleReinstated,
  ArticleRetired,
  ArticleWithdrawn,
} from "./events.ts";
import { KnowledgeWrite } from "./permissions.ts";
import { transition, withdraw } from "./service.ts";
import * as store from "./store.ts";

type Publication =
  | typeof ArticlePublished
  | typeof ArticleReinstated
  | typeof ArticleRetired
  | typeof ArticleWithdrawn;

/** The inverse of publishing or unpublishing an article: restores the previous state. */
export const publicationInverse: BulkInverse = {
  resourceType: "article",
  updated: ["article.published", "article.withdrawn", "article.retired", "article.reinstated"],
  permission: KnowledgeWrite,
  oneByOne: true,
  changeOf({ type, data }) {
    if (type === "article.withdrawn" || type === "article.retired")
      return { before: { state: "published" }, after: { state: data["state"] } };
    const before = type === "article.reinstated" ? "retired" : (data["stateBefore"] ?? "draft");
    return { before: { state: before }, after: { state: "published" } };
  },
  groupOf: () => "",
  async lock({ tx }, _, ids) {
    const articles = await store.lockAll(tx, ids);
    return {
      states: new Map(articles.map(({ id, state }) => [id, { state }])),
      fields: new Set(["state"]),
      revisions: new Map(articles.map(({ id, revision }) => [id, revision])),
    };
  },
  async write(ctx, _, reversals) {
    const inner = ctx as unknown as WriteContext<Publication>;
    for (const { id, current, target } of reversals) {
      const [from, to] = [stateOf(current), stateOf(target)];
      if (to === "retired") await transition(inner, id, "retire");
      else if (to !== "published") await withdraw(inner, id, to);
      else await transition(inner, id, from === "retired" ? "reinstate" : "publish");
    }
  },
};

function stateOf(state: State | null): ArticleState {
  return state?.["state"] as ArticleState;
}
