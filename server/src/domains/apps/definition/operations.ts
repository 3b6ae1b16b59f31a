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
  summary: "List the apps by name",
  environmentScoped,
  permission: AppsRead,
  query: object({
    ...listQuery,
    status: Type.Optional(
      Type.Enum(["active", "archived", "all"], { description: "`active` unless given" }),
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
  summary: "Make an app",
  description:
    "Pages are trees of components (GET /api/v1/apps/schema) that name the app's data sources. Whatever is " +
    "wrong within it is told with its path, and with the `position` in an expression. Whether tables, " +
    "workflows and the like are there is checked when it is deployed. Without a `slug` it gets one of its name.",
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
  summary: "Read the JSON Schema of component trees",
  description: "With those of actions and data sources in `$defs`.",
  environmentScoped,
  permission: AppsRead,
  response: item(Type.Record(Type.String(), Type.Unknown())),
  run: async () => buildPublishedSchema(),
});

export const getApp = query({
  id: "apps.get",
  route: "GET /api/v1/apps/{id}",
  summary: "Read an app with its pages and data sources",
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
  summary: "Change an app",
  description:
    "`pages` and `dataSources` are whole lists: what has the `id` of one that was there takes its place. " +
    "What is deployed stays as it is until the next deployment. What changes nothing is no event.",
  environmentScoped,
  permission: AppsWrite,
  params: ById,
  body: patch({ ...appFields, ...partFields }),
  allowNoop: true,
  response: item(App),
  emits: [AppUpdated],
  fails: [SlugTaken, AppIsArchived],
  example: { ...example, body: { description: "For the people who pack." } },
  run: async (ctx, { params, body }) =>
    withEnvironments(ctx.tx, await service.update(ctx, params.id, body)),
});

export const archiveApp = command({
  id: "apps.archive",
  route: "DELETE /api/v1/apps/{id}",
  summary: "Archive an app: nobody can open it any more",
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
  summary: "Take an app out of the archive",
  description:
    "It can be changed again, and opened where it is deployed. One that is not archived stays as it is.",
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
