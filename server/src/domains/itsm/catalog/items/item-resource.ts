import Type from "typebox";
import { findStepErrors } from "#domains/approvals/index.ts";
import { findStartable } from "#domains/workflows/index.ts";
import {
  assertNoErrors,
  failure,
  Failure,
  invalidField,
  NotFound,
} from "#kernel/operation/failure.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { assertPlan, assertReferencesExist, TaskPlan } from "../../tickets/index.ts";
import { CatalogRead, CatalogWrite, RequestsRead } from "../permissions.ts";
import {
  type Approval,
  assertForm,
  canSeeItem,
  itemFields,
  Item,
  ItemId,
  StoredItem,
  visibleItemSql,
} from "./item.ts";

const { name, form, ...optional } = itemFields;
const example = "cat_01jzt3n5k8q2x4v6w8y0z2b4d6";

const Status = Type.Enum(["draft", "active"], { description: "`draft`: can't be requested yet" });

const ItemExists = failure(
  "catalog_item_exists",
  409,
  "Another active item has this name.",
  "catalog_items_name",
);
const ItemIsRetired = failure("catalog_item_retired", 409, "The item is retired.");

export const ItemRetired = event("catalog_item.retired", {
  resource: "catalog_item",
  summary: "A catalog item was retired.",
  data: Item,
});

/** Catalog items. An item is retired instead of deleted, because requests reference it. */
export const items = resource({
  name: "catalog_item",
  plural: "catalog_items",
  effect: "ordinary",
  path: "/api/v1/catalog/items",
  table: "catalog_items",
  idPrefix: "cat",
  schema: Item,
  stored: StoredItem,
  input: object({
    name,
    form,
    ...patch({ ...optional, status: Status, tasks: TaskPlan }).properties,
  }),
  change: patch({ ...itemFields, status: Status, tasks: TaskPlan }),
  defaults: {
    description: "",
    category: "",
    icon: null,
    order: 100,
    keywords: [],
    estimate: null,
    featured: false,
    price: null,
    visibility: "everyone",
    approval: { required: false, approverIds: [], rule: "any" },
    workflowId: null,
    tasks: [],
    status: "active",
  },
  columns: { order: "position" },
  json: ["form", "approval", "tasks"],
  ordered: ["form"],
  permissions: { read: CatalogRead, write: CatalogWrite },
  environmentScoped: false,
  list: {
    order: "name",
    search: ["name", "description", "category"],
    fields: { order: { sql: "position", kind: "number", type: "integer" } },
    filters: {
      status: Type.Optional(
        Type.Enum(["draft", "active", "retired", "all"], {
          description: "Default: `active`. Drafts are visible only to members who can edit items",
        }),
      ),
      category: Type.Optional(Type.String({ maxLength: 100 })),
      featured: Type.Optional(Type.Boolean()),
    },
    conditions: ({ caller }, { status = "active", category, featured }) => [
      () => visibleItemSql(caller),
      ...(caller.permissions.has(CatalogWrite.name) ? [] : [() => "status <> 'draft'"]),
      ...(featured === undefined ? [] : [() => `featured = ${String(featured === true)}`]),
      ...(status === "all" ? [] : [() => `status = '${String(status)}'`]),
      ...(category === undefined
        ? []
        : [(parameters: SqlParameters) => `category = ${parameters.add(category, "text")}`]),
    ],
  },
  unique: ItemExists,
  async check(ctx, input) {
    const { approval, workflowId } = input;
    if (input.form) assertForm(input.form);
    if (input.tasks) await assertPlan(ctx, input.tasks);
    if (approval) {
      await assertReferencesExist(ctx, { users: approverFields(approval) });
      assertNoErrors(await findStepErrors(ctx.tx, approval.steps ?? [], "/approval/steps"));
    }
    if (typeof workflowId === "string") {
      const workflow = await findStartable(ctx.tx, workflowId, ctx.caller.environment);
      if (!workflow || workflow.archived) {
        throw invalidField("/workflowId", "is not the id of a workflow");
      }
    }
    return input;
  },
  operations: {
    list: { id: "catalog.list_items" },
    create: { id: "catalog.create_item", summary: "Create a catalog item" },
    get: false,
    update: {
      id: "catalog.update_item",
      summary: "Update a catalog item",
      description:
        "Existing requests keep the previous version. `status: active` publishes a draft or restores a retired item. If nothing changes, no event is appended.",
    },
    delete: false,
  },
  docs: {
    noun: "a catalog item",
    nouns: "catalog items by name",
    events: {
      created: "A catalog item was created.",
      updated: "A catalog item was updated.",
    },
    examples: {
      id: example,
      input: {
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
      change: { description: "Delivered within three days." },
    },
  },
});

/** Returns the approvers by path. */
function approverFields({ approverIds }: Approval): Record<string, string> {
  return Object.fromEntries(
    approverIds.map((id, index) => [`/approval/approverIds/${index}`, id] as const),
  );
}

export const getItem = query({
  id: "catalog.get_item",
  route: "GET /api/v1/catalog/items/{id}",
  summary: "Get a catalog item with its form",
  environmentScoped: false,
  permission: CatalogRead,
  params: object({ id: ItemId }),
  response: item(Item),
  example: { params: { id: example } },
  async run({ tx, caller }, { params }) {
    const found = await items.store.get(tx, params.id);
    if (!canSeeItem(caller, found)) throw new Failure(NotFound);
    return found;
  },
});

/** The task plan of an item. Requesters do not see it. */
export const listItemTasks = query({
  id: "catalog.list_item_tasks",
  route: "GET /api/v1/catalog/items/{id}/tasks",
  summary: "List the tasks of a catalog item",
  description: "`catalog.create_item` and `catalog.update_item` set the tasks with `tasks`.",
  environmentScoped: false,
  permission: RequestsRead,
  params: object({ id: ItemId }),
  response: item(Type.Object({ tasks: TaskPlan }, { title: "CatalogItemTasks" })),
  example: { params: { id: example } },
  async run({ tx, caller }, { params }) {
    const found = await items.store.get(tx, params.id);
    if (!canSeeItem(caller, found)) throw new Failure(NotFound);
    return { tasks: found.tasks, revision: found.revision };
  },
});

export const retireItem = command({
  id: "catalog.retire_item",
  route: "DELETE /api/v1/catalog/items/{id}",
  summary: "Retire a catalog item",
  description: "The item can't be requested any longer. Existing requests are still fulfilled.",
  environmentScoped: false,
  permission: CatalogWrite,
  params: object({ id: ItemId }),
  response: noContent(),
  emits: [ItemRetired],
  fails: [ItemIsRetired],
  example: { params: { id: example } },
  run: (ctx, { params }) => retire(ctx, params.id),
});

/** Retires an item. Its requests are kept and fulfilled. */
export async function retire(ctx: WriteContext<typeof ItemRetired>, id: string): Promise<void> {
  const before = await items.store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.status === "retired") throw new Failure(ItemIsRetired);
  const updatedAt = ctx.now.toISOString();
  const after = await items.store.update(ctx.tx, id, { status: "retired", updatedAt });
  ctx.emit(ItemRetired, { id, displayName: after.name }, items.eventData(after));
}
