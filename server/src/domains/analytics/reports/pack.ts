import { packContent } from "#kernel/contributions/pack-content.ts";
import { AnalyticsWrite } from "../permissions.ts";
import { toDefinition, NewReport } from "./report.ts";
import * as service from "./service.ts";
import { assertSource } from "./source.ts";
import * as store from "./store.ts";

/**
 * Reports that packs bring. What they are about may come with the same pack and not be there yet, so that
 * here only their form is checked; one that does not fit says so when it is run.
 */
export const reportContent = packContent({
  kind: "reports",
  after: ["tables", "queries"],
  permission: AnalyticsWrite,
  environmentScoped: true,
  schema: NewReport,
  keyOf: ({ name }) => name,
  async prepare(platform, { name: _, description: __, ...draft }) {
    const definition = toDefinition(draft);
    assertSource(platform, definition.source);
    return definition;
  },
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const report = await store.find(tx, id);
    return report && { name: report.name, description: report.description, ...report.definition };
  },
  create: async (ctx, report, definition) => (await service.create(ctx, report, definition)).id,
  async replace(ctx, id, report, definition) {
    await service.update(ctx, id, { description: "", ...report }, { definition });
    return id;
  },
  remove: service.remove,
});
