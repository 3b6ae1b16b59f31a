import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { RelationshipCreated, RelationshipDeleted } from "../events.ts";
import { holdItems } from "../items/hold-items.ts";
import type { Relationship } from "./relationship.ts";
import * as store from "./store.ts";

export type RelationshipInput = Pick<Relationship, "from" | "to" | "type">;

export async function create(
  ctx: WriteContext<typeof RelationshipCreated>,
  input: RelationshipInput,
): Promise<Relationship & { readonly revision: number }> {
  const { from, to } = input;
  const errors: FieldError[] = [];
  const held = await holdItems(ctx.tx, [from, to]);
  for (const [path, id] of Object.entries({ "/from": from, "/to": to })) {
    if (!held.has(id)) errors.push({ path, message: "is not the id of a configuration item" });
  }
  if (from === to) errors.push({ path: "/to", message: "must be a different item than `from`" });
  assertNoErrors(errors);
  const relationship = newRelationship(ctx, input);
  await store.insert(ctx.tx, [relationship]);
  emitCreated(ctx, relationship);
  return { ...relationship, revision: 1 };
}

/** Builds a relationship without writing it. */
export function newRelationship(
  { now, caller }: Pick<WriteContext, "now" | "caller">,
  { from, to, type }: RelationshipInput,
): Relationship {
  return {
    id: newId("cir", now.getTime()),
    from,
    to,
    type,
    createdBy: caller.actor.id,
    createdAt: now.toISOString(),
  };
}

export function emitCreated(
  ctx: WriteContext<typeof RelationshipCreated>,
  relationship: Relationship,
): void {
  ctx.emit(RelationshipCreated, relationshipRef(relationship), relationship);
}

/** Deletes a relationship. Relationships never change, so they have one revision. */
export async function remove(
  ctx: WriteContext<typeof RelationshipDeleted>,
  id: string,
): Promise<void> {
  const deleted = await store.remove(ctx.tx, id);
  ctx.expectRevision(1);
  ctx.emit(RelationshipDeleted, relationshipRef(deleted), deleted);
}

export async function removeAllOfItem(
  ctx: WriteContext<typeof RelationshipDeleted>,
  itemId: string,
): Promise<void> {
  for (const deleted of await store.removeAllOfItem(ctx.tx, itemId)) {
    ctx.emit(RelationshipDeleted, relationshipRef(deleted), deleted);
  }
}

function relationshipRef({ id, from, to, type }: Relationship) {
  return { id, displayName: `${from} ${type} ${to}` };
}
