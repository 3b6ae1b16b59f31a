import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { schemasOf } from "../classes/store.ts";
import type { RelationshipDeleted } from "../events.ts";
import { ItemCreated, ItemDeleted, ItemUpdated } from "../events.ts";
import * as relationships from "../relationships/service.ts";
import {
  EMPTY_ITEM,
  changeData,
  applyItemChange,
  changesBetween,
  itemErrors,
  type ItemInput,
} from "./item-change.ts";
import { dataOf, type Item, ItemInUse, referTo } from "./item.ts";
import { findReferences, missingReferenceErrors } from "./check-references.ts";
import * as store from "./store.ts";
import { openTickets } from "./open-tickets.ts";

/** The least that must be known of an item. */
export type Draft = ItemInput & { readonly name: string; readonly class: string };

export async function create(ctx: WriteContext<typeof ItemCreated>, draft: Draft): Promise<Item> {
  const { tx, now, caller } = ctx;
  const [schemas, known] = await Promise.all([
    schemasOf(tx, [draft.class]),
    findReferences(tx, [draft]),
  ]);
  const wanted = applyItemChange({ ...EMPTY_ITEM, name: draft.name, class: draft.class }, draft);
  assertSound([...itemErrors(wanted, schemas, ""), ...missingReferenceErrors(draft, known, "")]);
  const at = now.toISOString();
  const item: Item = {
    id: newId("ci", now.getTime()),
    ...wanted,
    createdBy: caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  await store.insert(tx, [item]);
  ctx.emit(ItemCreated, referTo(item), dataOf(item));
  return item;
}

/** Attributes are checked when they or the class change: a schema may have changed since. */
export async function update(
  ctx: WriteContext<typeof ItemUpdated>,
  id: string,
  given: ItemInput,
): Promise<Item> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const wanted = applyItemChange(before, given);
  const changes = changesBetween(before, wanted);
  if (changes.length === 0) return before;
  const isShaped = changes.includes("class") || changes.includes("attributes");
  const [schemas, known] = await Promise.all([
    isShaped ? schemasOf(ctx.tx, [wanted.class]) : undefined,
    findReferences(ctx.tx, [given]),
  ]);
  const faults = schemas ? itemErrors(wanted, schemas, "") : [];
  assertSound([...faults, ...missingReferenceErrors(given, known, "")]);
  const after = {
    ...before,
    ...wanted,
    updatedAt: ctx.now.toISOString(),
    revision: before.revision + 1,
  };
  await store.update(ctx.tx, [after]);
  ctx.emit(ItemUpdated, referTo(after), changeData(before, after));
  return after;
}

/**
 * Deletes an item. What is related to it stands in the way, unless the caller wants the relationships
 * gone too; tickets that are open always do.
 */
export async function remove(
  ctx: WriteContext<typeof ItemDeleted | typeof RelationshipDeleted>,
  id: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const item = await store.lock(ctx.tx, id);
  ctx.expectRevision(item.revision);
  const [tickets, relationshipCount] = await Promise.all([
    openTickets(ctx, [id]),
    store.countRelationships(ctx.tx, id),
  ]);
  if (tickets.length > 0 || (relationshipCount > 0 && !force)) {
    throw new Failure(ItemInUse, {
      detail: wordsOf(tickets.length, relationshipCount),
      extra: { ticketCount: tickets.length, relationshipCount },
    });
  }
  if (relationshipCount > 0) await relationships.removeAllOf(ctx, id);
  await store.remove(ctx.tx, id);
  ctx.emit(ItemDeleted, referTo(item), dataOf(item));
}

function wordsOf(tickets: number, relationshipCount: number): string {
  const parts = [
    ...(tickets > 0 ? [`${tickets} open tickets are about it`] : []),
    ...(relationshipCount > 0
      ? [`it has ${relationshipCount} relationships, which go with it by \`?force=true\``]
      : []),
  ];
  return `The item is in use: ${parts.join(", and ")}. To keep its history, make it retired.`;
}

/** Throws a 422 with all faults, if there are any. */
export function assertSound(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  const detail = `${first.path} ${first.message}`;
  throw new Failure(Invalid, { detail, errors: faults });
}
