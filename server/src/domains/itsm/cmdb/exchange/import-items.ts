import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { schemasOf } from "../classes/store.ts";
import { ItemCreated, ItemUpdated } from "../events.ts";
import {
  EMPTY_ITEM,
  changeData,
  applyItemChange,
  changesBetween,
  itemErrors,
} from "../items/item-change.ts";
import { dataOf, type Item, referTo } from "../items/item.ts";
import { findReferences, missingReferenceErrors } from "../items/check-references.ts";
import * as store from "../items/store.ts";
import { type ImportRow, nameOf } from "./import-row.ts";

const BATCH_ITEMS_MAX = 1_000;

/** What an import makes of the items that it names. */
export interface ImportOutcome {
  readonly created: readonly Item[];
  readonly updated: readonly { readonly before: Item; readonly after: Item }[];
  readonly unchanged: number;
  readonly skipped: number;
  readonly faults: readonly FieldError[];
}

/** Imports take turns in each partition: two that enter the same new key would stop one another. */
export async function takeImportLock(tx: Tx): Promise<void> {
  const text = `
    select pg_advisory_xact_lock(hashtextextended(
      'cmdb import into ' || current_setting('millrace.workspace')
        || current_setting('millrace.environment'), 0))`;
  await queryRows(tx, text, []);
}

/** Decides about every candidate; nothing is written yet. */
export async function decideImport(
  ctx: Pick<WriteContext, "tx" | "now" | "caller">,
  candidates: readonly ImportRow[],
): Promise<ImportOutcome> {
  const { tx } = ctx;
  const givens = candidates.map(({ given }) => given);
  const classes = [...new Set(candidates.map(({ is }) => is.class))];
  const keys = candidates.map(({ is }) => is);
  const [schemas, known, locked] = await Promise.all([
    schemasOf(tx, classes),
    findReferences(tx, givens),
    store.lockByKeys(tx, keys),
  ]);
  const there = new Map(
    locked.map((item) => [nameOf({ class: item.class, key: item.key ?? "" }), item]),
  );
  const created: Item[] = [];
  const updated: { before: Item; after: Item }[] = [];
  const faults: FieldError[] = [];
  let skipped = 0;
  for (const { path, is, given } of candidates) {
    const before = there.get(nameOf(is));
    const wanted = applyItemChange(before ?? { ...EMPTY_ITEM, name: "", class: is.class }, given);
    const changes = before && changesBetween(before, wanted);
    if (changes?.length === 0) continue;
    const isShaped = !changes || changes.includes("attributes");
    const found = [
      ...(wanted.name === "" ? [{ path: `${path}/name`, message: "is required" }] : []),
      ...(isShaped ? itemErrors(wanted, schemas, path) : []),
      ...missingReferenceErrors(given, known, path),
    ];
    faults.push(...found);
    if (found.length > 0) skipped += 1;
    else if (before) updated.push({ before, after: nextOf(ctx, { ...before, ...wanted }) });
    else created.push(newItem(ctx, wanted));
  }
  const unchanged = candidates.length - skipped - created.length - updated.length;
  return { created, updated, unchanged, skipped, faults };
}

function newItem({ now, caller }: Pick<WriteContext, "now" | "caller">, wanted: ItemOf): Item {
  const at = now.toISOString();
  return {
    id: newId("ci", now.getTime()),
    ...wanted,
    createdBy: caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
}

type ItemOf = ReturnType<typeof applyItemChange>;

function nextOf({ now }: Pick<WriteContext, "now">, item: Item): Item {
  return { ...item, updatedAt: now.toISOString(), revision: item.revision + 1 };
}

/** Writes what was decided, batch by batch in the one transaction. */
export async function applyImport(
  ctx: WriteContext<typeof ItemCreated | typeof ItemUpdated>,
  { created, updated }: ImportOutcome,
): Promise<void> {
  for (const batch of batchesOf(created)) {
    await store.insert(ctx.tx, batch);
    for (const item of batch) ctx.emit(ItemCreated, referTo(item), dataOf(item));
    ctx.flush();
  }
  for (const batch of batchesOf(updated)) {
    await store.update(
      ctx.tx,
      batch.map(({ after }) => after),
    );
    for (const { before, after } of batch) {
      ctx.emit(ItemUpdated, referTo(after), changeData(before, after));
    }
    ctx.flush();
  }
}

/** Cuts a list into pieces that one statement holds. */
export function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += BATCH_ITEMS_MAX) {
    yield all.slice(start, start + BATCH_ITEMS_MAX);
  }
}
