import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { holdSchemas } from "../classes/store.ts";
import { ItemCreated, ItemUpdated } from "../events.ts";
import {
  EMPTY_ITEM,
  changeData,
  applyItemChange,
  changesBetween,
  itemErrors,
} from "../items/item-change.ts";
import { itemEventData, type Item, itemRef } from "../items/item.ts";
import { findReferences, missingReferenceErrors } from "../items/check-references.ts";
import * as store from "../items/store.ts";
import { type ImportRow, itemKeyText } from "./import-row.ts";

const BATCH_ITEMS_MAX = 1_000;

/** The effect of an import on each item. */
export interface ImportOutcome {
  readonly created: readonly Item[];
  readonly updated: readonly { readonly before: Item; readonly after: Item }[];
  readonly unchanged: number;
  readonly skipped: number;
  readonly errors: readonly FieldError[];
}

/** Serialises imports per partition, because two imports with the same key would deadlock. */
export async function takeImportLock(tx: Tx): Promise<void> {
  const text = `
    select pg_advisory_xact_lock(hashtextextended(
      'cmdb import into ' || current_setting('millrace.workspace')
        || current_setting('millrace.environment'), 0))`;
  await queryRows(tx, text, []);
}

/** Decides whether each row creates, updates or skips an item. Writes nothing. */
export async function decideImport(
  ctx: Pick<WriteContext, "tx" | "now" | "caller">,
  candidates: readonly ImportRow[],
): Promise<ImportOutcome> {
  const { tx } = ctx;
  const inputs = candidates.map(({ input }) => input);
  const classes = [...new Set(candidates.map(({ itemKey: is }) => is.class))];
  const keys = candidates.map(({ itemKey: is }) => is);
  const [schemas, references, locked] = await Promise.all([
    holdSchemas(tx, classes),
    findReferences(tx, inputs),
    store.lockByKeys(tx, keys),
  ]);
  const existing = new Map(
    locked.map((item) => [itemKeyText({ class: item.class, key: item.key ?? "" }), item]),
  );
  const created: Item[] = [];
  const updated: { before: Item; after: Item }[] = [];
  const errors: FieldError[] = [];
  let skipped = 0;
  for (const { path, itemKey: is, input } of candidates) {
    const before = existing.get(itemKeyText(is));
    const fields = applyItemChange(before ?? { ...EMPTY_ITEM, name: "", class: is.class }, input);
    const changes = before && changesBetween(before, fields);
    if (changes?.length === 0) continue;
    const isSchemaChecked = !changes || changes.includes("attributes");
    const rowErrors = [
      ...(fields.name === "" ? [{ path: `${path}/name`, message: "is required" }] : []),
      ...(isSchemaChecked ? itemErrors(fields, schemas, path) : []),
      ...missingReferenceErrors(input, references, path),
    ];
    errors.push(...rowErrors);
    if (rowErrors.length > 0) skipped += 1;
    else if (before) updated.push({ before, after: nextRevision(ctx, { ...before, ...fields }) });
    else created.push(newItem(ctx, fields));
  }
  const unchanged = candidates.length - skipped - created.length - updated.length;
  return { created, updated, unchanged, skipped, errors };
}

function newItem(
  { now, caller }: Pick<WriteContext, "now" | "caller">,
  fields: AppliedFields,
): Item {
  const at = now.toISOString();
  return {
    id: newId("ci", now.getTime()),
    ...fields,
    createdBy: caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
}

type AppliedFields = ReturnType<typeof applyItemChange>;

function nextRevision({ now }: Pick<WriteContext, "now">, item: Item): Item {
  return { ...item, updatedAt: now.toISOString(), revision: item.revision + 1 };
}

/** Writes the decisions in batches, in one transaction. */
export async function applyImport(
  ctx: WriteContext<typeof ItemCreated | typeof ItemUpdated>,
  { created, updated }: ImportOutcome,
): Promise<void> {
  for (const batch of inBatches(created)) {
    await store.insert(ctx.tx, batch);
    for (const item of batch) ctx.emit(ItemCreated, itemRef(item), itemEventData(item));
    ctx.flush();
  }
  for (const batch of inBatches(updated)) {
    await store.update(
      ctx.tx,
      batch.map(({ after }) => after),
    );
    for (const { before, after } of batch) {
      ctx.emit(ItemUpdated, itemRef(after), changeData(before, after));
    }
    ctx.flush();
  }
}

/** Splits a list into batches for one statement each. */
export function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += BATCH_ITEMS_MAX) {
    yield all.slice(start, start + BATCH_ITEMS_MAX);
  }
}
