import Type from "typebox";
import type { PackContent } from "#kernel/contributions/pack-content.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { TaskPlan } from "../../tickets/index.ts";
import { items, retire } from "./item-resource.ts";
import { itemFields } from "./item.ts";

const content = resourcePack(items, {
  after: ["workflows"],
  environmentScoped: false,
  schema: object(
    {
      name: itemFields.name,
      description: Type.Optional(itemFields.description),
      category: Type.Optional(itemFields.category),
      icon: Type.Optional(itemFields.icon),
      order: Type.Optional(itemFields.order),
      keywords: Type.Optional(itemFields.keywords),
      estimate: Type.Optional(itemFields.estimate),
      featured: Type.Optional(itemFields.featured),
      price: Type.Optional(itemFields.price),
      visibility: Type.Optional(itemFields.visibility),
      form: itemFields.form,
      tasks: Type.Optional(TaskPlan),
      approval: Type.Optional(itemFields.approval),
      workflowId: Type.Optional(
        nullable(
          Type.String({
            maxLength: 300,
            description: "An id, or `pack:workflows/` followed by a key",
          }),
        ),
      ),
    },
    { title: "PackCatalogItem" },
  ),
  async find({ tx }, { name }) {
    const [active] = await items.store.select(tx, "name = $1 and status = 'active'", [name]);
    return active;
  },
});

/** Catalog items in packs. A retired item counts as removed. */
export const itemContent: PackContent = {
  ...content,
  async read(ctx, id) {
    const item = await items.store.find(ctx.tx, id);
    return item?.status === "active" ? content.read(ctx, id) : undefined;
  },
  remove: retire,
};
