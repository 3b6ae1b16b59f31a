import Type from "typebox";
import { packContent } from "#kernel/contributions/pack-content.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { fields, ITEM_DEFAULTS } from "./item.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { CatalogWrite } from "../permissions.ts";

/** What people may ask for, as packs bring it. */
export const itemContent = packContent({
  kind: "catalog_items",
  after: ["workflows"],
  permission: CatalogWrite,
  environmentScoped: false,
  schema: object(
    {
      name: fields.name,
      description: Type.Optional(fields.description),
      category: Type.Optional(fields.category),
      icon: Type.Optional(fields.icon),
      form: fields.form,
      approval: Type.Optional(fields.approval),
      workflowId: Type.Optional(
        nullable(
          Type.String({ maxLength: 300, description: "An id, or `pack:workflows/` and a key" }),
        ),
      ),
    },
    { title: "PackCatalogItem" },
  ),
  keyOf: ({ name }) => name,
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const item = await store.find(tx, id);
    if (item?.status !== "active") return undefined;
    const { name, description, category, icon, form, approval, workflowId } = item;
    return { name, description, category, icon, form, approval, workflowId };
  },
  create: async (ctx, item) => (await service.create(ctx, item)).id,
  async replace(ctx, id, item) {
    const approval = { ...ITEM_DEFAULTS.approval, approverIds: [] };
    await service.update(ctx, id, { ...ITEM_DEFAULTS, approval, ...item });
    return id;
  },
  remove: service.retire,
});
