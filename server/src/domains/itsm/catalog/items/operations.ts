import Type from "typebox";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, noContent, item } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { ItemCreated, ItemRetired, ItemUpdated } from "./events.ts";
import { fields, Item, ItemExists, ItemId, ItemIsRetired } from "./item.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { CatalogRead, CatalogWrite } from "../permissions.ts";

const ByItem = object({ id: ItemId });
const example = { params: { id: "cat_01jzt3n5k8q2x4v6w8y0z2b4d6" } };
const { name, form, ...others } = fields;

/** An item is the same in all environments. */
const environmentScoped = false;

export const listItems = query({
  id: "catalog.list_items",
  route: "GET /api/v1/catalog/items",
  summary: "List what may be asked for, by name",
  environmentScoped,
  permission: CatalogRead,
  query: object({
    ...listQuery,
    status: Type.Optional(
      Type.Enum(["active", "retired", "all"], { description: "`active` unless given" }),
    ),
    category: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  response: countedPage(Item),
  run(ctx, { query: { status = "active", category, ...question } }) {
    const narrowed = [
      ...(status === "all" ? [] : [() => `status = '${status}'`]),
      ...(category === undefined
        ? []
        : [(to: SqlParameters) => `category = ${to.add(category, "text")}`]),
    ];
    return listPage(ctx, store.itemList, question, { narrowed, toItem: store.toItem });
  },
});

export const createItem = command({
  id: "catalog.create_item",
  route: "POST /api/v1/catalog/items",
  summary: "Add something that people may ask for",
  environmentScoped,
  permission: CatalogWrite,
  body: object({
    name,
    form,
    description: Type.Optional(others.description),
    category: Type.Optional(others.category),
    icon: Type.Optional(others.icon),
    approval: Type.Optional(others.approval),
    workflowId: Type.Optional(others.workflowId),
  }),
  response: created(Item, { location: (item) => `/api/v1/catalog/items/${item.id}` }),
  emits: [ItemCreated],
  fails: [ItemExists],
  example: {
    body: {
      name: "Laptop",
      category: "Hardware",
      form: {
        type: "object",
        properties: { model: { type: "string", enum: ["light", "strong"], default: "light" } },
        required: ["model"],
        additionalProperties: false,
      },
      approval: { required: true, approverIds: [], rule: "any" },
    },
  },
  run: (ctx, { body }) => service.create(ctx, body),
});

export const getItem = query({
  id: "catalog.get_item",
  route: "GET /api/v1/catalog/items/{id}",
  summary: "Read what may be asked for, with its form",
  environmentScoped,
  permission: CatalogRead,
  params: ByItem,
  response: item(Item),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateItem = command({
  id: "catalog.update_item",
  route: "PATCH /api/v1/catalog/items/{id}",
  summary: "Change something that people may ask for",
  description:
    "What was asked for before stays as it was asked for. `status: active` brings a retired item " +
    "back. What changes nothing is no event.",
  environmentScoped,
  permission: CatalogWrite,
  params: ByItem,
  body: patch({ ...fields, status: Type.Enum(["active"]) }),
  allowNoop: true,
  response: item(Item),
  emits: [ItemUpdated],
  fails: [ItemExists],
  example: { ...example, body: { description: "Comes within three days." } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});

export const retireItem = command({
  id: "catalog.retire_item",
  route: "DELETE /api/v1/catalog/items/{id}",
  summary: "Retire something: nobody may ask for it any more",
  description: "What was asked for before is fulfilled.",
  environmentScoped,
  permission: CatalogWrite,
  params: ByItem,
  response: noContent(),
  emits: [ItemRetired],
  fails: [ItemIsRetired],
  example,
  run: (ctx, { params }) => service.retire(ctx, params.id),
});
