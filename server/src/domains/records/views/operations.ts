import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { assertMayChange, getVisibleView, TableView, tableViews, TableViewsOwn } from "./view.ts";

const { path, change, docs } = tableViews.declaration;
const one = { permission: TableViewsOwn, params: object({ id: id("tvw") }) } as const;
const params = { id: docs.examples.id };

const getView = query({
  ...one,
  id: "table_views.get",
  route: `GET ${path}/{id}`,
  summary: "Read a view of a table",
  response: item(TableView),
  example: { params },
  run: (ctx, input) => getVisibleView(ctx, input.params.id),
});

const updateView = command({
  ...one,
  id: "table_views.update",
  route: `PATCH ${path}/{id}`,
  summary: "Change a view of a table",
  description: "One's own, or a shared one with `tables:write`.",
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
  summary: "Delete a view of a table",
  description: "Of the table's records nothing changes.",
  response: noContent(),
  emits: [tableViews.events.deleted],
  example: { params },
  async run(ctx, input) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, input.params.id));
    await tableViews.remove(ctx, input.params.id);
  },
});

export const viewOperations = [...tableViews.operations, getView, updateView, deleteView];
