import Type from "typebox";
import { type ListDefinition, listPage, listQuery, type ListCondition } from "#kernel/list/list.ts";
import { asOfListQuery, listPastPage, NO_REVISION, PastTooLong } from "#kernel/list/past-list.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { EventEnvelope, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import {
  countedPage,
  created,
  noContent,
  item,
  type Page,
  page,
  withRevision,
} from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { ItemCreated, ItemDeleted, ItemUpdated, RelationshipDeleted } from "../events.ts";
import { CmdbRead, CmdbWrite } from "../permissions.ts";
import { itemFields, Item, ItemDetail, ItemId, ItemInUse, KeyTaken } from "./item.ts";
import * as service from "./service.ts";
import { PAST_ITEMS, readPastItem } from "./item-as-of.ts";
import * as store from "./store.ts";

/** Reads the events of an item, newest first, including a deleted item. */
async function readItemHistory(
  { tx }: ReadContext,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<ReturnType<typeof toEventEnvelope>>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalidField("?after", "is not a cursor of this list");
  const filter = { resourceType: "cmdb_item", resourceId: id, before };
  const found = await queryEvents(tx, filter, limit + 1);
  // Retention may have deleted all events of an existing item. An unknown id is not found.
  if (found.length === 0 && after === undefined) await store.get(tx, id);
  return toPage(found, limit, toEventEnvelope, (event) => event.id);
}

const ById = object({ id: ItemId });
const example = { params: { id: "ci_01jd0000000000000000000000" } };

const ITEMS: ListDefinition = {
  name: "cmdb items",
  from: "cmdb_items",
  select: store.ITEM_COLUMNS,
  fields: {
    id: { sql: "id", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    name: { sql: "name", kind: "text" },
    class: { sql: "class", kind: "text" },
    status: { sql: "status", kind: "text" },
    key: { sql: "key", kind: "text", nullable: true },
    description: { sql: "description", kind: "text" },
    attributes: { sql: "attributes", kind: "json" },
    ownerId: { sql: "owner_id", kind: "text", nullable: true },
    teamId: { sql: "team_id", kind: "text", nullable: true },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["name", "coalesce(key, '')", "description", "attributes::text"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** Filters for lists and exports of items, in addition to `filter`. */
export const itemFilters = {
  class: Type.Optional(itemFields.class),
  status: Type.Optional(itemFields.status),
};

const listItems = query({
  id: "cmdb.list_items",
  route: "GET /api/v1/cmdb/items",
  summary: "List configuration items, newest first",
  description:
    'Filters can use attributes: `{"attributes.os":"linux"}`. `q` searches names, keys, descriptions and attributes.',
  permission: CmdbRead,
  query: object({ ...listQuery, ...asOfListQuery, ...itemFilters }),
  response: countedPage(withRevision(Item)),
  fails: [PastNotKept, PastTooLong],
  example: { query: { limit: 50, class: "server", status: "active", sort: "name" } },
  run(ctx, { query: { class: itemClass, status, asOf, ...listing } }) {
    const conditions = columnConditions({ class: itemClass, status });
    if (asOf === undefined) {
      return listPage(ctx, ITEMS, listing, { conditions, toItem: store.toItem });
    }
    return listPastPage(
      ctx,
      ITEMS,
      { ...listing, asOf },
      {
        past: PAST_ITEMS,
        conditions,
        // Events use the response schema.
        toItem: (past) =>
          ({ ...past, ...NO_REVISION }) as unknown as ReturnType<typeof store.toItem>,
      },
    );
  },
});

function columnConditions(
  columns: Readonly<Record<string, string | undefined>>,
): readonly ListCondition[] {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined
      ? []
      : [
          (parameters: Parameters<ListCondition>[0]) =>
            `${column} = ${parameters.add(value, "text")}`,
        ],
  );
}

const createItem = command({
  id: "cmdb.create_item",
  effect: "ordinary",
  route: "POST /api/v1/cmdb/items",
  summary: "Create a configuration item",
  permission: CmdbWrite,
  body: object({
    name: itemFields.name,
    class: itemFields.class,
    status: Type.Optional(itemFields.status),
    key: Type.Optional(itemFields.key),
    description: Type.Optional(itemFields.description),
    attributes: Type.Optional(itemFields.attributes),
    ownerId: Type.Optional(itemFields.ownerId),
    teamId: Type.Optional(itemFields.teamId),
  }),
  response: created(Item, { location: ({ id }) => `/api/v1/cmdb/items/${id}` }),
  emits: [ItemCreated],
  fails: [KeyTaken],
  example: {
    body: { name: "web-1", class: "server", key: "web-1", attributes: { os: "linux", cpus: 8 } },
  },
  run: (ctx, { body }) => service.create(ctx, body),
});

const getItem = query({
  id: "cmdb.get_item",
  route: "GET /api/v1/cmdb/items/{id}",
  summary: "Get a configuration item",
  permission: CmdbRead,
  params: ById,
  query: object(asOfQuery),
  response: item(ItemDetail),
  fails: [PastNotKept],
  example,
  async run(ctx, { params: { id }, query: { asOf } }) {
    const { tx } = ctx;
    if (asOf !== undefined) return readPastItem(ctx, id, asOf);
    const [item, relationshipCount] = await Promise.all([
      store.get(tx, id),
      store.countRelationships(tx, id),
    ]);
    return { ...item, relationshipCount };
  },
});

const updateItem = command({
  id: "cmdb.update_item",
  effect: "ordinary",
  route: "PATCH /api/v1/cmdb/items/{id}",
  summary: "Update a configuration item",
  description:
    "Omitted attributes keep their values; null removes an attribute. The attributes are validated against the schema of the class if they or the class change.",
  permission: CmdbWrite,
  params: ById,
  body: patch(itemFields),
  response: item(Item),
  emits: [ItemUpdated],
  allowNoop: true,
  fails: [KeyTaken],
  example: { ...example, body: { status: "maintenance", attributes: { cpus: 16 } } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});

const deleteItem = command({
  id: "cmdb.delete_item",
  route: "DELETE /api/v1/cmdb/items/{id}",
  summary: "Delete a configuration item",
  description:
    "Use this for items created by mistake; set the status of unused items to `retired`. Fails if the item has relationships, unless `force` deletes them too, and if it has open tickets.",
  permission: CmdbWrite,
  params: ById,
  query: object({ force: Type.Boolean({ default: false }) }),
  response: noContent(),
  emits: [RelationshipDeleted, ItemDeleted],
  fails: [ItemInUse],
  example,
  run: (ctx, { params, query: { force } }) => service.remove(ctx, params.id, { force }),
});

const getHistory = query({
  id: "cmdb.item_history",
  route: "GET /api/v1/cmdb/items/{id}/history",
  summary: "List the events of a configuration item, newest first",
  description: "Also works for deleted items, as long as the log keeps their events.",
  permission: CmdbRead,
  params: ById,
  query: object(pageQuery),
  response: page(EventEnvelope),
  example,
  run: (ctx, { params, query: listing }) => readItemHistory(ctx, params.id, listing),
});

export const itemOperations = [listItems, createItem, getItem, updateItem, deleteItem, getHistory];
