import { packContent } from "#kernel/contributions/pack-content.ts";
import { diffResource } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { newId } from "#kernel/schema/id.ts";
import { authorIdOf } from "../change.ts";
import { ChangesApprove } from "../permissions.ts";
import * as store from "./store.ts";
import {
  type ChangeTemplate,
  dataOf,
  referTo,
  TemplateCreated,
  TemplateDeleted,
  TemplateInput,
  TemplateUpdated,
} from "./template.ts";

type Given = Omit<ChangeTemplate, "id" | "createdBy" | "createdAt" | "updatedAt" | "revision">;
export type TemplateDraft = Pick<Given, "name"> & Partial<Given>;

const EMPTY = {
  description: "",
  title: "",
  impact: 3,
  justification: "",
  implementationPlan: "",
  rollbackPlan: "",
  testPlan: "",
  active: true,
};

export async function create(
  ctx: WriteContext<typeof TemplateCreated>,
  draft: TemplateDraft,
): Promise<ChangeTemplate> {
  const now = ctx.now.toISOString();
  const template: ChangeTemplate = {
    id: newId("ctp", ctx.now.getTime()),
    ...EMPTY,
    ...draft,
    createdBy: authorIdOf(ctx.caller),
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  await store.insert(ctx.tx, template);
  ctx.emit(TemplateCreated, referTo(template), dataOf(template));
  return template;
}

/** Changes what is given; nothing happens when all is like that already. */
export async function update(
  ctx: WriteContext<typeof TemplateUpdated>,
  id: string,
  given: Partial<Given>,
): Promise<ChangeTemplate> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const updatedAt = ctx.now.toISOString();
  const after = { ...before, ...given, revision: before.revision + 1, updatedAt };
  const told = diffResource(dataOf(before), dataOf(after));
  if (told.changes.length === 0) return before;
  await store.save(ctx.tx, after);
  ctx.emit(TemplateUpdated, referTo(after), told);
  return after;
}

/**
 * Makes it what a pack says it is now; what the pack leaves out is as in a new one. Whoever switched it
 * off did so for a reason.
 */
export function replace(
  ctx: WriteContext<typeof TemplateUpdated>,
  id: string,
  draft: TemplateDraft,
): Promise<ChangeTemplate> {
  const { active: _, ...rest } = { ...EMPTY, ...draft };
  return update(ctx, id, rest);
}

export async function remove(ctx: WriteContext<typeof TemplateDeleted>, id: string): Promise<void> {
  const template = await store.lock(ctx.tx, id);
  ctx.expectRevision(template.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(TemplateDeleted, referTo(template), dataOf(template));
}

/** Templates for standard changes that packs bring. */
export const templateContent = packContent({
  kind: "change_templates",
  permission: ChangesApprove,
  environmentScoped: false,
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
  create: async (ctx, template) => (await create(ctx, template)).id,
  async replace(ctx, id, template) {
    await replace(ctx, id, template);
    return id;
  },
  remove: remove,
});
