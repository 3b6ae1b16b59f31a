/** Apps in packs. They are installed as drafts: users see the previous deployment until the next one. */
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { listIds, packContent } from "#kernel/contributions/pack-content.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { object } from "#kernel/schema/schema.ts";
import { AppsWrite } from "../permissions.ts";
import {
  appFields,
  normalizePath,
  pageFields,
  PAGES_MAX,
  SOURCES_MAX,
  type StoredApp,
} from "./app.ts";
import { sourceFields } from "./data-source.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

export const appContent = packContent({
  kind: "apps",
  // Its data sources and actions may name any of these.
  after: ["roles", "tables", "queries", "artifacts", "connectors", "workflows", "reports"],
  permission: AppsWrite,
  environmentScoped: false,
  schema: object(
    {
      name: appFields.name,
      slug: appFields.slug,
      description: Type.Optional(appFields.description),
      theme: Type.Optional(appFields.theme),
      pages: Type.Array(object(pageFields), { maxItems: PAGES_MAX }),
      dataSources: Type.Array(object(sourceFields), { maxItems: SOURCES_MAX }),
    },
    { title: "PackApp" },
  ),
  keyOf: ({ slug }) => slug,
  find: ({ tx }, { slug }) => findBySlug(tx, slug),
  async read({ tx }, id) {
    const app = await find(tx, id);
    return app && toContent(app);
  },
  create: async (ctx, content) => (await service.create(ctx, content)).id,
  async replace(ctx, id, content) {
    const before = await store.get(ctx.tx, id);
    const { description = "", theme = null, pages, dataSources } = content;
    await service.update(ctx, id, {
      ...content,
      description,
      theme,
      // Existing pages and data sources keep their ids.
      pages: pages.map((page) => {
        const same = before.pages.find(({ path }) => path === normalizePath(page.path));
        return { ...page, ...(same && { id: same.id }) };
      }),
      dataSources: dataSources.map((source) => {
        const same = before.dataSources.find(({ name }) => name === source.name);
        return { ...source, ...(same && { id: same.id }) };
      }),
    });
    return id;
  },
  remove: service.archive,
  source: {
    list: async ({ tx }, limit) => listIds(tx, "apps", limit),
    async toContent({ tx }, id) {
      const app = await find(tx, id);
      if (!app) return undefined;
      const { theme, ...content } = toContent(app);
      return { ...content, ...(theme && { theme }) };
    },
  },
});

/** An archived one counts as removed. */
async function find(tx: Tx, id: string): Promise<StoredApp | undefined> {
  const [row] = await queryRows(tx, "select id from apps where id = $1 and status = 'active'", [
    id,
  ]);
  return row && store.get(tx, id);
}

async function findBySlug(tx: Tx, slug: string): Promise<string | undefined> {
  const [row] = await queryRows(tx, "select id from apps where slug = $1 and status = 'active'", [
    slug,
  ]);
  return row && String(row["id"]);
}

function toContent({ name, slug, description, theme, pages, dataSources }: StoredApp) {
  return {
    name,
    slug,
    description,
    theme,
    pages: pages.map(({ id: _, ...page }) => page),
    dataSources: dataSources.map(({ id: _, ...source }) => source),
  };
}
