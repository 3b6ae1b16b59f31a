/** Pages and data sources, one at a time. Their ETag is the app's, which is checked and kept as a whole. */
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page as pageReply } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { AppsRead, AppsWrite } from "../permissions.ts";
import { AppId, AppIsArchived, Page, pageFields, PageId } from "./app.ts";
import { AppUpdated } from "./events.ts";
import * as service from "./service.ts";
import { DataSource, DataSourceId, sourceFields } from "./data-source.ts";
import * as store from "./store.ts";

const environmentScoped = false;
const InApp = object({ id: AppId });
const OnePage = object({ id: AppId, pageId: PageId });
const OneSource = object({ id: AppId, dataSourceId: DataSourceId });
const app = { id: "app_01jd0000000000000000000000" };
const inApp = { params: app };
const aPage = { params: { ...app, pageId: "pag_01jd0000000000000000000000" } };
const aSource = { params: { ...app, dataSourceId: "dsr_01jd0000000000000000000000" } };

/** The parts of an app in their order, page by page. */
async function partsOf<Part extends { readonly id: string }>(
  { services: { cursors } }: ReadContext,
  parts: readonly Part[],
  list: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
) {
  const [last] = after === undefined ? [] : cursors.decode(list, after);
  const start = after === undefined ? 0 : parts.findIndex(({ id }) => id === last) + 1;
  const rows = parts.slice(start, start + limit + 1);
  return toPage(
    rows,
    limit,
    (part) => part,
    ({ id }) => cursors.encode(list, [id]),
  );
}

export const listPages = query({
  id: "apps.list_pages",
  route: "GET /api/v1/apps/{id}/pages",
  summary: "List the pages of an app",
  environmentScoped,
  permission: AppsRead,
  params: InApp,
  query: object(pageQuery),
  response: pageReply(Page),
  example: inApp,
  async run(ctx, { params, query: asked }) {
    const { pages } = await store.get(ctx.tx, params.id);
    return partsOf(ctx, pages, `pages of ${params.id}`, asked);
  },
});

export const createPage = command({
  id: "apps.create_page",
  route: "POST /api/v1/apps/{id}/pages",
  summary: "Add a page to an app",
  environmentScoped,
  permission: AppsWrite,
  params: InApp,
  body: object(pageFields),
  response: created(Page),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: {
    ...inApp,
    body: { path: "/help", title: "Help", components: [{ type: "markdown", text: "# Help" }] },
  },
  async run(ctx, { params, body }) {
    const made = await service.putPage(ctx, params.id, undefined, body);
    return { ...made.page, revision: made.app.revision };
  },
});

export const getPage = query({
  id: "apps.get_page",
  route: "GET /api/v1/apps/{id}/pages/{pageId}",
  summary: "Read a page of an app",
  environmentScoped,
  permission: AppsRead,
  params: OnePage,
  response: item(Page),
  example: aPage,
  async run({ tx }, { params }) {
    const { pages, revision } = await store.get(tx, params.id);
    const page = pages.find(({ id }) => id === params.pageId);
    if (!page) throw new Failure(NotFound);
    return { ...page, revision };
  },
});

export const updatePage = command({
  id: "apps.update_page",
  route: "PATCH /api/v1/apps/{id}/pages/{pageId}",
  summary: "Change a page of an app",
  environmentScoped,
  permission: AppsWrite,
  params: OnePage,
  body: patch(pageFields),
  allowNoop: true,
  response: item(Page),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: { ...aPage, body: { title: "How it works" } },
  async run(ctx, { params, body }) {
    const done = await service.putPage(ctx, params.id, params.pageId, body);
    return { ...done.page, revision: done.app.revision };
  },
});

export const deletePage = command({
  id: "apps.delete_page",
  route: "DELETE /api/v1/apps/{id}/pages/{pageId}",
  summary: "Delete a page of an app",
  description: "One that another page leads to is refused: 422.",
  environmentScoped,
  permission: AppsWrite,
  params: OnePage,
  response: noContent(),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: aPage,
  async run(ctx, { params }) {
    await service.putPage(ctx, params.id, params.pageId, null);
  },
});

export const listSources = query({
  id: "apps.list_data_sources",
  route: "GET /api/v1/apps/{id}/data-sources",
  summary: "List the data sources of an app",
  environmentScoped,
  permission: AppsRead,
  params: InApp,
  query: object(pageQuery),
  response: pageReply(DataSource),
  example: inApp,
  async run(ctx, { params, query: asked }) {
    const { dataSources } = await store.get(ctx.tx, params.id);
    return partsOf(ctx, dataSources, `data sources of ${params.id}`, asked);
  },
});

export const addSource = command({
  id: "apps.add_data_source",
  route: "POST /api/v1/apps/{id}/data-sources",
  summary: "Add a data source to an app",
  environmentScoped,
  permission: AppsWrite,
  params: InApp,
  body: object(sourceFields),
  response: created(DataSource),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: {
    ...inApp,
    body: {
      name: "orders",
      kind: "table" as const,
      config: { table: "orders", filter: { customer: "{{ context.customer }}" } },
    },
  },
  async run(ctx, { params, body }) {
    const made = await service.putSource(ctx, params.id, undefined, body);
    return { ...made.source, revision: made.app.revision };
  },
});

export const updateSource = command({
  id: "apps.update_data_source",
  route: "PATCH /api/v1/apps/{id}/data-sources/{dataSourceId}",
  summary: "Change a data source of an app",
  environmentScoped,
  permission: AppsWrite,
  params: OneSource,
  body: patch(sourceFields),
  allowNoop: true,
  response: item(DataSource),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: { ...aSource, body: { config: { table: "orders", limit: 20 } } },
  async run(ctx, { params, body }) {
    const done = await service.putSource(ctx, params.id, params.dataSourceId, body);
    return { ...done.source, revision: done.app.revision };
  },
});

export const removeSource = command({
  id: "apps.remove_data_source",
  route: "DELETE /api/v1/apps/{id}/data-sources/{dataSourceId}",
  summary: "Remove a data source of an app",
  description: "One that a component still names is refused: 422.",
  environmentScoped,
  permission: AppsWrite,
  params: OneSource,
  response: noContent(),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: aSource,
  async run(ctx, { params }) {
    await service.putSource(ctx, params.id, params.dataSourceId, null);
  },
});
