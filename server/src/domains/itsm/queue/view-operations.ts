import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { assertMayChange, getVisibleView, View, views, ViewsOwn } from "./view.ts";

const { path, change, docs } = views.declaration;
const one = {
  permission: ViewsOwn,
  params: object({ id: id("vew") }),
  environmentScoped: false,
} as const;
const params = { id: docs.examples.id };

const getView = query({
  ...one,
  id: "views.get",
  route: `GET ${path}/{id}`,
  summary: "Get a view of the queue",
  response: item(View),
  example: { params },
  run: (ctx, input) => getVisibleView(ctx, input.params.id),
});

const updateView = command({
  ...one,
  id: "views.update",
  effect: "ordinary",
  route: `PATCH ${path}/{id}`,
  summary: "Update a view of the queue",
  description:
    "With `desk:write`, you can update all views that you can see; otherwise only your own.",
  body: change,
  response: item(View),
  emits: [views.events.updated],
  allowNoop: true,
  example: { params, body: docs.examples.change },
  async run(ctx, input) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, input.params.id));
    return views.update(ctx, input.params.id, input.body);
  },
});

const deleteView = command({
  ...one,
  id: "views.delete",
  route: `DELETE ${path}/{id}`,
  summary: "Delete a view of the queue",
  response: noContent(),
  emits: [views.events.deleted],
  example: { params },
  async run(ctx, input) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, input.params.id));
    await views.remove(ctx, input.params.id);
  },
});

export const viewOperations = [...views.operations, getView, updateView, deleteView];
