import { packContent } from "#kernel/contributions/pack-content.ts";
import { SlaWrite } from "./permissions.ts";
import { toPolicyInput, NewPolicy } from "./policy.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** SLA policies as pack content. */
export const policyContent = packContent({
  kind: "sla_policies",
  permission: SlaWrite,
  environmentScoped: false,
  schema: NewPolicy,
  keyOf: ({ name }) => name,
  // Names of policies need not be unique.
  find: async () => undefined,
  async read({ tx }, id) {
    const policy = await store.find(tx, id);
    if (!policy) return undefined;
    const { active: _, ...edited } = service.policyInputOf(policy);
    return edited;
  },
  create: async (ctx, content) => (await service.create(ctx, toPolicyInput(content))).id,
  async replace(ctx, id, content) {
    // The workspace decides whether a policy is active.
    const { active: _, ...draft } = toPolicyInput(content);
    await service.update(ctx, id, draft);
    return id;
  },
  remove: service.remove,
});
