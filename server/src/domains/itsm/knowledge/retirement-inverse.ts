import type { WriteContext } from "#kernel/contract.ts";
import type { BulkInverse } from "#kernel/undo/inverse.ts";
import type { ArticleReinstated, ArticleRetired } from "./events.ts";
import { KnowledgeWrite } from "./permissions.ts";
import { transition } from "./service.ts";
import * as store from "./store.ts";

const RETIRED = "article.retired";

/** The inverse of an article's retirement: it is published as it was, or retired again. */
export const retirementInverse: BulkInverse = {
  resourceType: "article",
  updated: [RETIRED, "article.reinstated"],
  permission: KnowledgeWrite,
  oneByOne: true,
  changeOf({ type }) {
    const [found, retired] = [{ state: "published" }, { state: "retired" }];
    return type === RETIRED ? { before: found, after: retired } : { before: retired, after: found };
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
    const inner = ctx as unknown as WriteContext<typeof ArticleRetired | typeof ArticleReinstated>;
    for (const { id, target } of reversals) {
      await transition(inner, id, target?.["state"] === "retired" ? "retire" : "reinstate");
    }
  },
};
