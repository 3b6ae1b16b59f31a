/**
 * Operations on single pages and data sources. They use the app's ETag, because the app is validated and stored as
 * a whole.
 */
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import {
  created,
  noContent,
  item,
  page as pageReply,
  withRevision,
} from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { AppsRead, AppsWrite } from "../permissions.ts";
import { AppId, AppIsArchived, Page, pageFields, PageId } from "./app.ts";
import { AppUpdated } from "./events.ts";
import * as service from "./service.ts";
import { DataSource, DataSourceId, sourceFields } from "./data-source.ts";
import * as store from "./store.ts";

const environmentScoped = false;
const ByAppId = object({ id: AppId });
const ByPageId = object({ id: AppId, pageId: PageId });
const BySourceId = object({ id: AppId, dataSourceId: DataSourceId });
const app = { id: "app_01jd0000000000000000000000" };
const appExample = { params: app };
const pageExample = { params: { ...app, pageId: "pag_01jd0000000000000000000000" } };
const sourceExample = { params: { ...app, dataSourceId: "dsr_01jd0000000000000000000000" } };

/** Pages through the parts of an app, which are stored as a list. */
async function paginate<Item extends { readonly id: string }>(
  { services: { cursors } }: ReadContext,
  items: readonly Item[],
  list: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
) {
  const [last] = after === undefined ? [] : cursors.decode(list, after);
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === last) + 1;
  const rows = items.slice(start, start + limit + 1);
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
  summary: "List pages of an app",
  environmentScoped,
  permission: AppsRead,
  params: ByAppId,
  query: object(pageQuery),
  response: pageReply(withRevision(Page)),
  example: appExample,
  async run(ctx, { params, query: pageRequest }) {
    const { pages, revision } = await store.get(ctx.tx, params.id);
    const items = pages.map((page) => ({ ...page, revision }));
    return paginate(ctx, items, `pages of ${params.id}`, pageRequest);
  },
});

export const createPage = command({
  id: "apps.create_page",
  effect: "ordinary",
  route: "POST /api/v1/apps/{id}/pages",
  summary: "Add a page to an app",
  environmentScoped,
  permission: AppsWrite,
  params: ByAppId,
  body: object(pageFields),
  response: created(Page),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: {
    ...appExample,
    body: { path: "/help", title: "Help", components: [{ type: "markdown", text: "# Help" }] },
  },
  async run(ctx, { params, body }) {
    const result = await service.savePage(ctx, params.id, undefined, body);
    return { ...result.page, revision: result.app.revision };
  },
});

export const getPage = query({
  id: "apps.get_page",
  route: "GET /api/v1/apps/{id}/pages/{pageId}",
  summary: "Get a page of an app",
  environmentScoped,
  permission: AppsRead,
  params: ByPageId,
  response: item(Page),
  example: pageExample,
  async run({ tx }, { params }) {
    const { pages, revision } = await store.get(tx, params.id);
    const page = pages.find(({ id }) => id === params.pageId);
    if (!page) throw new Failure(NotFound);
    return { ...page, revision };
  },
});

export const updatePage = command({
  id: "apps.update_page",
  effect: "ordinary",
  route: "PATCH /api/v1/apps/{id}/pages/{pageId}",
  summary: "Update a page of an app",
  environmentScoped,
  permission: AppsWrite,
  params: ByPageId,
  body: patch(pageFields),
  allowNoop: true,
  response: item(Page),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: { ...pageExample, body: { title: "How it works" } },
  async run(ctx, { params, body }) {
    const result = await service.savePage(ctx, params.id, params.pageId, body);
    return { ...result.page, revision: result.app.revision };
  },
});

export const deletePage = command({
  id: "apps.delete_page",
  route: "DELETE /api/v1/apps/{id}/pages/{pageId}",
  summary: "Delete a page of an app",
  description: "If another page links to it, the response is 422.",
  environmentScoped,
  permission: AppsWrite,
  params: ByPageId,
  response: noContent(),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: pageExample,
  async run(ctx, { params }) {
    await service.savePage(ctx, params.id, params.pageId, null);
  },
});

export const listSources = query({
  id: "apps.list_data_sources",
  route: "GET /api/v1/apps/{id}/data-sources",
  summary: "List data sources of an app",
  environmentScoped,
  permission: AppsRead,
  params: ByAppId,
  query: object(pageQuery),
  response: pageReply(DataSource),
  example: appExample,
  async run(ctx, { params, query: pageRequest }) {
    const { dataSources } = await store.get(ctx.tx, params.id);
    return paginate(ctx, dataSources, `data sources of ${params.id}`, pageRequest);
  },
});

export const addSource = command({
  id: "apps.add_data_source",
  effect: "ordinary",
  route: "POST /api/v1/apps/{id}/data-sources",
  summary: "Add a data source to an app",
  environmentScoped,
  permission: AppsWrite,
  params: ByAppId,
  body: object(sourceFields),
  response: created(DataSource),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: {
    ...appExample,
    body: {
      name: "orders",
      kind: "table" as const,
      config: { table: "orders", filter: { customer: "{{ context.customer }}" } },
    },
  },
  async run(ctx, { params, body }) {
    const result = await service.saveSource(ctx, params.id, undefined, body);
    return { ...result.source, revision: result.app.revision };
  },
});

export const updateSource = command({
  id: "apps.update_data_source",
  effect: "ordinary",
  route: "PATCH /api/v1/apps/{id}/data-sources/{dataSourceId}",
  summary: "Update a data source of an app",
  environmentScoped,
  permission: AppsWrite,
  params: BySourceId,
  body: patch(sourceFields),
  allowNoop: true,
  response: item(DataSource),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: { ...sourceExample, body: { config: { table: "orders", limit: 20 } } },
  async run(ctx, { params, body }) {
    const result = await service.saveSource(ctx, params.id, params.dataSourceId, body);
    return { ...result.source, revision: result.app.revision };
  },
});

export const removeSource = command({
  id: "apps.remove_data_source",
  route: "DELETE /api/v1/apps/{id}/data-sources/{dataSourceId}",
  summary: "Remove a data source of an app",
  description: "If a component still uses it, the response is 422.",
  environmentScoped,
  permission: AppsWrite,
  params: BySourceId,
  response: noContent(),
  emits: [AppUpdated],
  fails: [AppIsArchived],
  example: sourceExample,
  async run(ctx, { params }) {
    await service.saveSource(ctx, params.id, params.dataSourceId, null);
  },
});
