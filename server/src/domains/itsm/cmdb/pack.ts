import Type from "typebox";
import { packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import { ClassName, classFields } from "./classes/class.ts";
import * as service from "./classes/service.ts";
import * as store from "./classes/store.ts";
import { CmdbWrite } from "./permissions.ts";

/** CMDB classes in packs, in the environment of the installation. */
export const classContent = packContent({
  kind: "cmdb_classes",
  permission: CmdbWrite,
  environmentScoped: true,
  schema: object(
    {
      name: ClassName,
      label: Type.Optional(classFields.label),
      description: Type.Optional(classFields.description),
      attributes: classFields.attributes,
      extends: Type.Optional(classFields.extends),
    },
    { title: "PackCmdbClass" },
  ),
  keyOf: ({ name }) => name,
  find: async ({ tx }, { name }) => (await store.findDeclared(tx, name))?.name,
  async read({ tx }, id) {
    const found = await store.findDeclared(tx, id);
    if (!found) return undefined;
    const { name, label, description, attributes } = found;
    return { name, label, description, attributes, extends: found.extends };
  },
  create: async (ctx, content) => (await service.create(ctx, content)).name,
  async replace(ctx, id, { name, ...content }) {
    await service.update(ctx, id, { label: name, description: "", extends: null, ...content });
    return id;
  },
  remove: service.remove,
});
