import Type from "typebox";
import { packContent } from "#kernel/contributions/pack-content.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { writable } from "./article.ts";
import { KnowledgeWrite } from "./permissions.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** Articles in packs. They are published immediately, because the author of the pack reviewed them. */
export const articleContent = packContent({
  kind: "articles",
  permission: KnowledgeWrite,
  environmentScoped: true,
  schema: object(
    {
      key: line(200, "Key of the article in the pack"),
      title: writable.title,
      body: writable.body,
      summary: Type.Optional(writable.summary),
      tags: Type.Optional(writable.tags),
      category: Type.Optional(writable.category),
      visibility: Type.Optional(writable.visibility),
      language: Type.Optional(writable.language),
    },
    { title: "PackArticle" },
  ),
  keyOf: ({ key }) => key,
  prepare: (platform, content, caller) => service.prepareArticle(platform, content, caller),
  // Titles need not be unique.
  find: async () => undefined,
  async read({ tx }, id) {
    const { title, body, summary, tags, category, visibility, language, state } = await store.get(
      tx,
      id,
    );
    if (state === "retired") return undefined;
    return { title, body, summary, tags, category, visibility, language };
  },
  async create(ctx, { key: _, ...input }, prepared) {
    const { id } = await service.create(ctx, input, prepared);
    await service.transition(ctx, id, "publish");
    return id;
  },
  async replace(ctx, id, { key: _, ...input }, { plain }) {
    await service.update(ctx, id, { change: input, plain });
    return id;
  },
  async remove(ctx, id) {
    const { state } = await store.get(ctx.tx, id);
    if (state === "published") await service.transition(ctx, id, "retire");
  },
});
