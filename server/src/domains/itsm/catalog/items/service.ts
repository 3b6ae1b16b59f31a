import { authorOf } from "#kernel/access/caller.ts";
import { assertReferencesExist } from "../../tickets/index.ts";
import { findStartable } from "#domains/workflows/index.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { ItemCreated, ItemRetired, ItemUpdated } from "./events.ts";
import {
  type Approval,
  assertForm,
  type Item,
  type ItemData,
  ItemIsRetired,
  ITEM_DEFAULTS,
} from "./item.ts";
import * as store from "./store.ts";

/** What people write about an item. */
export type ItemInput = Pick<
  ItemData,
  "name" | "description" | "category" | "icon" | "form" | "approval" | "workflowId"
>;

export async function create(
  ctx: WriteContext<typeof ItemCreated>,
  draft: Pick<ItemInput, "name" | "form"> & Partial<ItemInput>,
): Promise<Item> {
  await assertSound(ctx, draft);
  const at = ctx.now.toISOString();
  const item: Item = {
    id: newId("cat", ctx.now.getTime()),
    ...ITEM_DEFAULTS,
    approval: { ...ITEM_DEFAULTS.approval, approverIds: [] },
    ...draft,
    status: "active",
    createdBy: authorOf(ctx.caller),
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  await store.insert(ctx, item);
  ctx.emit(ItemCreated, referTo(item), dataOf(item));
  return item;
}

/** Nothing new is no change. */
export async function update(
  ctx: WriteContext<typeof ItemUpdated>,
  id: string,
  change: Partial<ItemInput> & { readonly status?: "active" },
): Promise<Item> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const revision = before.revision + 1;
  const after = { ...before, ...change, updatedAt: ctx.now.toISOString(), revision };
  const changed = diffResource(dataOf(before), dataOf(after));
  if (changed.changes.length === 0) return before;
  await assertSound(ctx, change);
  await store.update(ctx, after);
  ctx.emit(ItemUpdated, referTo(after), changed);
  return after;
}

/** What was asked for before stays, and is fulfilled. */
export async function retire(ctx: WriteContext<typeof ItemRetired>, id: string): Promise<void> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.status === "retired") throw new Failure(ItemIsRetired);
  const after: Item = {
    ...before,
    status: "retired",
    updatedAt: ctx.now.toISOString(),
    revision: before.revision + 1,
  };
  await store.update(ctx, after);
  ctx.emit(ItemRetired, referTo(after), dataOf(after));
}

/** Throws a 422 where the form is no form, or somebody or something is named that there is not. */
async function assertSound(
  ctx: ReadContext,
  { form, approval, workflowId }: Partial<ItemInput>,
): Promise<void> {
  if (form) assertForm(form);
  if (approval) await assertReferencesExist(ctx, { users: approvers(approval) });
  if (typeof workflowId === "string") {
    const workflow = await findStartable(ctx.tx, workflowId, ctx.caller.environment);
    if (!workflow || workflow.archived)
      throw invalidField("/workflowId", "is not the id of a workflow");
  }
}

function approvers({ approverIds }: Approval): Record<string, string> {
  return Object.fromEntries(
    approverIds.map((id, index) => [`/approval/approverIds/${index}`, id] as const),
  );
}

function referTo({ id, name }: Item) {
  return { id, displayName: name };
}

function dataOf({ revision: _, ...data }: Item): ItemData {
  return data;
}
