import { assertNoErrors, Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { holdSchemas } from "../classes/store.ts";
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
import { itemEventData, type Item, ItemInUse, itemRef } from "./item.ts";
import { findReferences, missingReferenceErrors } from "./check-references.ts";
import * as store from "./store.ts";
import { openTickets } from "./open-tickets.ts";

/** A new item: its class and name are required. */
export type NewItem = ItemInput & { readonly name: string; readonly class: string };

export async function create(ctx: WriteContext<typeof ItemCreated>, input: NewItem): Promise<Item> {
  const { tx, now, caller } = ctx;
  const [schemas, references] = await Promise.all([
    holdSchemas(tx, [input.class]),
    findReferences(tx, [input]),
  ]);
  const fields = applyItemChange({ ...EMPTY_ITEM, name: input.name, class: input.class }, input);
  assertNoErrors([
    ...itemErrors(fields, schemas, ""),
    ...missingReferenceErrors(input, references, ""),
  ]);
  const at = now.toISOString();
  const item: Item = {
    id: newId("ci", now.getTime()),
    ...fields,
    createdBy: caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  await store.insert(tx, [item]);
  ctx.emit(ItemCreated, itemRef(item), itemEventData(item));
  return item;
}

/** Attributes are validated only if they or the class change, because the schema may have changed since. */
export async function update(
  ctx: WriteContext<typeof ItemUpdated>,
  id: string,
  change: ItemInput,
): Promise<Item> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const fields = applyItemChange(before, change);
  const changes = changesBetween(before, fields);
  if (changes.length === 0) return before;
  const isSchemaChecked = changes.includes("class") || changes.includes("attributes");
  const [schemas, references] = await Promise.all([
    isSchemaChecked ? holdSchemas(ctx.tx, [fields.class]) : undefined,
    findReferences(ctx.tx, [change]),
  ]);
  const errors = schemas ? itemErrors(fields, schemas, "") : [];
  assertNoErrors([...errors, ...missingReferenceErrors(change, references, "")]);
  const after = {
    ...before,
    ...fields,
    updatedAt: ctx.now.toISOString(),
    revision: before.revision + 1,
  };
  await store.update(ctx.tx, [after]);
  ctx.emit(ItemUpdated, itemRef(after), changeData(before, after));
  return after;
}

/** Deletes an item without open tickets. Relationships prevent it unless `force` deletes them too. */
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
      detail: inUseDetail(tickets.length, relationshipCount),
      extra: { ticketCount: tickets.length, relationshipCount },
    });
  }
  if (relationshipCount > 0) await relationships.removeAllOfItem(ctx, id);
  await store.remove(ctx.tx, id);
  ctx.emit(ItemDeleted, itemRef(item), itemEventData(item));
}

function inUseDetail(tickets: number, relationshipCount: number): string {
  const parts = [
    ...(tickets > 0 ? [`it has ${tickets} open tickets`] : []),
    ...(relationshipCount > 0
      ? [`it has ${relationshipCount} relationships; delete them too with \`?force=true\``]
      : []),
  ];
  return `The item is in use: ${parts.join(", and ")}. To keep its history, make it retired.`;
}
