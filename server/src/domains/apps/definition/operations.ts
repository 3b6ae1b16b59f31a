import Type from "typebox";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, noContent, item, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { switchInverse } from "#kernel/undo/switch-inverse.ts";
import { describeApps, withEnvironments } from "../deployments/store.ts";
import { AppsRead, AppsWrite } from "../permissions.ts";
import { App, AppId, AppIsArchived, AppSummary, appFields, SlugTaken } from "./app.ts";
import { AppArchived, AppCreated, AppUnarchived, AppUpdated } from "./events.ts";
import { buildPublishedSchema } from "./published-schema.ts";
import * as service from "./service.ts";
import { partFields } from "./draft.ts";
import * as store from "./store.ts";
import type { SqlRow } from "#kernel/db/statement.ts";

/** An app is the same in all environments. */
const environmentScoped = false;
const ById = object({ id: AppId });
export const example = { params: { id: "app_01jd0000000000000000000000" } };

export const listApps = query({
  id: "apps.list",
  route: "GET /api/v1/apps",
  summary: "List apps by name",
  environmentScoped,
  permission: AppsRead,
  query: object({
    ...listQuery,
    status: Type.Optional(
      Type.Enum(["active", "archived", "all"], { description: "Default: `active`" }),
    ),
  }),
  response: countedPage(withRevision(AppSummary)),
  async run(ctx, { query: { status = "active", ...listOptions } }) {
    const narrowed = status === "all" ? [] : [() => `status = '${status}'`];
    const page = await listPage(ctx, store.appList, listOptions, { conditions: narrowed, toItem });
    return { ...page, data: await describeApps(ctx, page.data) };
  },
});

export const createApp = command({
  id: "apps.create",
  effect: "ordinary",
  route: "POST /api/v1/apps",
  summary: "Create an app",
  description:
    "Pages are trees of components (GET /api/v1/apps/schema) that use the data sources of the app. All errors are returned with their paths. Errors in expressions also have a `position`. References to tables, workflows and other resources are checked at the deployment. The default `slug` is derived from the name.",
  environmentScoped,
  permission: AppsWrite,
  body: object({
    name: appFields.name,
    slug: Type.Optional(appFields.slug),
    description: Type.Optional(appFields.description),
    theme: Type.Optional(appFields.theme),
    pages: Type.Optional(partFields.pages),
    dataSources: Type.Optional(partFields.dataSources),
  }),
  response: created(App, { location: (app) => `/api/v1/apps/${app.id}` }),
  emits: [AppCreated],
  fails: [SlugTaken],
  example: {
    body: {
      name: "Orders",
      dataSources: [{ name: "orders", kind: "table", config: { table: "orders" } }],
      pages: [
        {
          path: "/",
          title: "Open orders",
          components: [
            { type: "text", text: "Hello {{ user.name }}", style: "heading" },
            { type: "table", dataSource: "orders", columns: [{ field: "number", label: "No." }] },
          ],
        },
      ],
    },
  },
  run: async (ctx, { body }) => withEnvironments(ctx.tx, await service.create(ctx, body)),
});

export const readSchema = query({
  id: "apps.schema",
  route: "GET /api/v1/apps/schema",
  summary: "Get the JSON Schema of components",
  description: "The schemas of actions and data sources are in `$defs`.",
  environmentScoped,
  permission: AppsRead,
  response: item(Type.Record(Type.String(), Type.Unknown())),
  run: async () => buildPublishedSchema(),
});

export const getApp = query({
  id: "apps.get",
  route: "GET /api/v1/apps/{id}",
  summary: "Get an app with its pages and data sources",
  environmentScoped,
  permission: AppsRead,
  params: ById,
  response: item(App),
  example,
  run: async ({ tx }, { params }) => withEnvironments(tx, await store.get(tx, params.id)),
});

export const updateApp = command({
  id: "apps.update",
  effect: "ordinary",
  route: "PATCH /api/v1/apps/{id}",
  summary: "Update an app",
  description:
    "`pages` and `dataSources` replace the whole lists; items with an existing `id` replace that item. The deployed app does not change until the next deployment. If nothing changes, no event is appended.",
  environmentScoped,
  permission: AppsWrite,
  params: ById,
  body: patch({ ...appFields, ...partFields }),
  allowNoop: true,
  response: item(App),
  emits: [AppUpdated],
  fails: [SlugTaken, AppIsArchived],
  example: { ...example, body: { description: "For the packing team." } },
  run: async (ctx, { params, body }) =>
    withEnvironments(ctx.tx, await service.update(ctx, params.id, body)),
});

export const archiveApp = command({
  id: "apps.archive",
  route: "DELETE /api/v1/apps/{id}",
  summary: "Archive an app",
  environmentScoped,
  permission: AppsWrite,
  params: ById,
  response: noContent(),
  emits: [AppArchived],
  fails: [AppIsArchived],
  example,
  run: (ctx, { params }) => service.archive(ctx, params.id),
});

export const unarchiveApp = command({
  id: "apps.unarchive",
  effect: "ordinary",
  route: "POST /api/v1/apps/{id}/unarchive",
  summary: "Restore an archived app",
  description:
    "Members can edit the app again and open it in each environment with a deployment. If the app is not archived, nothing changes.",
  environmentScoped,
  permission: AppsWrite,
  params: ById,
  allowNoop: true,
  response: item(App),
  emits: [AppUnarchived],
  fails: [SlugTaken],
  example,
  run: async (ctx, { params }) => withEnvironments(ctx.tx, await service.unarchive(ctx, params.id)),
});

export const archiveInverse = switchInverse({
  resourceType: "app",
  permission: AppsWrite,
  field: "archived",
  on: { event: AppArchived.type, operation: archiveApp },
  off: { event: AppUnarchived.type, operation: unarchiveApp },
  async lock({ tx }, id) {
    const { revision, status } = await store.lock(tx, id);
    return { id, revision, isOn: status === "archived" };
  },
});

/** The columns of the list have the names of the fields. */
function toItem(row: SqlRow): Omit<AppSummary, "environments" | "errors"> {
  return row as unknown as ReturnType<typeof toItem>;
}
