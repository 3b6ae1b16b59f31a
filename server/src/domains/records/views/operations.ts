import { partitionOfCaller } from "#kernel/access/caller.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { countedPage, item, noContent, withRevision } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { hideFilters } from "./hidden-filters.ts";
import { assertMayChange, getVisibleView, TableView, tableViews, TableViewsOwn } from "./view.ts";

const { path, change, docs } = tableViews.declaration;
const one = { permission: TableViewsOwn, params: object({ id: id("tvw") }) } as const;
const params = { id: docs.examples.id };

const listViews = query({
  id: "table_views.list",
  route: `GET ${path}`,
  summary: "List table views that are yours or shared",
  description:
    "Only for tables that you can view. A filter on fields that you can't view is omitted.",
  permission: TableViewsOwn,
  query: object(listQuery),
  response: countedPage(withRevision(TableView)),
  async run(ctx, { query: input }) {
    const found = await listPage(ctx, tableViews.list, input, {
      conditions: tableViews.declaration.list.conditions?.(ctx, input) ?? [],
      toItem: tableViews.store.toItem,
    });
    return { ...found, data: await hideFilters(ctx, found.data) };
  },
});

const getView = query({
  ...one,
  id: "table_views.get",
  route: `GET ${path}/{id}`,
  summary: "Get a table view",
  response: item(TableView),
  example: { params },
  async run(ctx, input) {
    const view = await getVisibleView(ctx, input.params.id);
    const [seen = view] = await hideFilters(ctx, [view]);
    return seen;
  },
});

const updateView = command({
  ...one,
  id: "table_views.update",
  // Anyone can open a published form, so changing its fields requires a permission.
  effect: async ({ db }, input, caller) => {
    const view = await db.read(partitionOfCaller(caller), (tx) =>
      tableViews.store.get(tx, input.params.id),
    );
    return view.publicKey === null ? "ordinary" : "drastic";
  },
  route: `PATCH ${path}/{id}`,
  summary: "Update a table view",
  description: "With `tables:write`, you can also update shared views; otherwise only your own.",
  body: change,
  response: item(TableView),
  emits: [tableViews.events.updated],
  allowNoop: true,
  example: { params, body: docs.examples.change },
  async run(ctx, input) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, input.params.id));
    return tableViews.update(ctx, input.params.id, input.body);
  },
});

const deleteView = command({
  ...one,
  id: "table_views.delete",
  route: `DELETE ${path}/{id}`,
  summary: "Delete a table view",
  description: "The records of the table are not changed.",
  response: noContent(),
  emits: [tableViews.events.deleted],
  example: { params },
  async run(ctx, input) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, input.params.id));
    await tableViews.remove(ctx, input.params.id);
  },
});

export const viewOperations = [
  ...tableViews.operations,
  listViews,
  getView,
  updateView,
  deleteView,
];
