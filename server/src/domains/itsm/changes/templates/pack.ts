import { packContent } from "#kernel/contributions/pack-content.ts";
import { ChangesApprove } from "../permissions.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { TemplateInput } from "./template.ts";

/** Templates for standard changes that packs bring. */
export const templateContent = packContent({
  kind: "change_templates",
  permission: ChangesApprove,
  environmental: false,
  schema: TemplateInput,
  keyOf: ({ name }) => name,
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, id) {
    const template = await store.find(tx, id);
    if (!template) return undefined;
    const { name, description, title, impact, justification } = template;
    const { implementationPlan, rollbackPlan, testPlan } = template;
    const plans = { implementationPlan, rollbackPlan, testPlan };
    return { name, description, title, impact, justification, ...plans };
  },
  make: async (ctx, template) => (await service.create(ctx, template)).id,
  async replace(ctx, id, template) {
    await service.replace(ctx, id, template);
    return id;
  },
  remove: service.remove,
});
