import Type from "typebox";
import { listIds, packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import { QueriesWrite } from "./permissions.ts";
import { defaultParameters } from "./parameter.ts";
import { inspectQuery } from "./run/run-query.ts";
import { queryFields } from "./saved-query.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** The saved queries of packs. */
export const queryContent = packContent({
  kind: "queries",
  after: ["tables"],
  permission: QueriesWrite,
  environmentScoped: false,
  schema: object(
    {
      name: queryFields.name,
      description: Type.Optional(queryFields.description),
      sql: queryFields.sql,
      parameters: Type.Optional(queryFields.parameters),
    },
    { title: "PackQuery" },
  ),
  keyOf: ({ name }) => name,
  prepare: (_, { sql }, caller) => inspectQuery(caller, sql),
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const query = await store.find(tx, id);
    if (!query) return undefined;
    const { name, description, sql, parameters } = query;
    return { name, description, sql, parameters };
  },
  create: async (ctx, query, inspection) => (await service.create(ctx, query, inspection)).id,
  async replace(ctx, id, query, inspection) {
    const parameters = defaultParameters(new Set(inspection.parameters.keys()));
    const change = { description: "", parameters, ...query };
    await service.update(ctx, id, change, { sql: query.sql, inspection });
    return id;
  },
  remove: service.remove,
  source: {
    list: async ({ tx }, limit) => listIds(tx, "saved_queries", limit),
    async toContent({ tx }, id) {
      const query = await store.find(tx, id);
      if (!query) return undefined;
      const { name, description, sql, parameters } = query;
      return { name, description, sql, parameters };
    },
  },
});
