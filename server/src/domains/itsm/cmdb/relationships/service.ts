import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { RelationshipCreated, RelationshipDeleted } from "../events.ts";
import { holdItems } from "../items/hold-items.ts";
import type { Relationship } from "./relationship.ts";
import * as store from "./store.ts";

/** Which items to relate, and how. */
export type Tie = Pick<Relationship, "from" | "to" | "type">;

export async function create(
  ctx: WriteContext<typeof RelationshipCreated>,
  tie: Tie,
): Promise<Relationship & { readonly revision: number }> {
  const { from, to } = tie;
  const faults: FieldError[] = [];
  const held = await holdItems(ctx.tx, [from, to]);
  for (const [path, id] of Object.entries({ "/from": from, "/to": to })) {
    if (!held.has(id)) faults.push({ path, message: "is not the id of a configuration item" });
  }
  if (from === to) faults.push({ path: "/to", message: "must be another item than `from`" });
  const [first] = faults;
  if (first) {
    throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
  }
  const made = newRelationship(ctx, tie);
  await store.insert(ctx.tx, [made]);
  emitCreated(ctx, made);
  return { ...made, revision: 1 };
}

/** A relationship that is not written yet. */
export function newRelationship(
  { now, caller }: Pick<WriteContext, "now" | "caller">,
  { from, to, type }: Tie,
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
  made: Relationship,
): void {
  ctx.emit(RelationshipCreated, referTo(made), made);
}

/** A relationship is there or not there, and never changes: it has the one revision. */
export async function remove(
  ctx: WriteContext<typeof RelationshipDeleted>,
  id: string,
): Promise<void> {
  const gone = await store.remove(ctx.tx, id);
  ctx.expectRevision(1);
  ctx.emit(RelationshipDeleted, referTo(gone), gone);
}

/** Deletes all relationships of an item. */
export async function removeAllOf(
  ctx: WriteContext<typeof RelationshipDeleted>,
  itemId: string,
): Promise<void> {
  for (const gone of await store.removeAllOf(ctx.tx, itemId)) {
    ctx.emit(RelationshipDeleted, referTo(gone), gone);
  }
}

function referTo({ id, from, to, type }: Relationship) {
  return { id, displayName: `${from} ${type} ${to}` };
}
