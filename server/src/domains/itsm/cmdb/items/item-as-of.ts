import type { ReadContext } from "#kernel/contract.ts";
import type { PastList } from "#kernel/list/past-list.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { findPastState, PastNotKept } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { Item } from "./item.ts";
import * as store from "./store.ts";

const WHOLE_ITEM = ["id", "name", "class", "updatedAt"];

/** The source for lists of items at a past time. */
export const PAST_ITEMS: PastList = {
  resourceType: "cmdb_item",
  table: "cmdb_items",
  marks: WHOLE_ITEM,
  deleted: "cmdb_item.deleted",
};

/** Reads an item at a past time, including its relationship count. */
export async function readPastItem(
  { tx, now }: ReadContext,
  id: string,
  asOf: string,
): Promise<Omit<Item, "revision"> & { readonly relationshipCount: number }> {
  const found = await findPastState(tx, {
    resourceType: "cmdb_item",
    id,
    asOf,
    now,
    marks: WHOLE_ITEM,
    created: ["cmdb_item.created"],
    deleted: ["cmdb_item.deleted"],
  });
  if (!found) {
    await store.get(tx, id);
    throw new Failure(PastNotKept);
  }
  const at = new Date(asOf);
  const deleted = await queryEvents(tx, { type: DELETED, from: asOf }, DELETED_MAX + 1);
  if (deleted.length > DELETED_MAX) throw new Failure(PastNotKept, { detail: TOO_MANY });
  const gone = deleted.filter(
    ({ data }) =>
      [data["from"], data["to"]].includes(id) && new Date(String(data["createdAt"])) <= at,
  );
  const there = await store.countRelationships(tx, id, at);
  return {
    ...(found.state as Omit<Item, "revision">),
    relationshipCount: there + gone.length,
  };
}

const DELETED = "^cmdb_relationship\\.deleted$";
/** The maximum number of deleted relationships to filter, because they are filtered individually. */
const DELETED_MAX = 2_000;
const TOO_MANY = `More than ${DELETED_MAX} relationships were deleted since then, so they can't be counted.`;
