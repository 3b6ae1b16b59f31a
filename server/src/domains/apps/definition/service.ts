import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type AppData,
  AppIsArchived,
  appEventData,
  normalizePath,
  type Page,
  appRef,
  slugOf,
  type StoredApp,
} from "./app.ts";
import { assertValidDefinition } from "./check-definition.ts";
import { AppArchived, AppCreated, AppUnarchived, AppUpdated } from "./events.ts";
import type { DataSource } from "./data-source.ts";
import * as store from "./store.ts";

type UpdateContext = WriteContext<typeof AppUpdated>;
/** A page or data source in a request: without an id it is new. */
export type PageInput = Omit<Page, "id"> & { readonly id?: string };
export type SourceInput = Omit<DataSource, "id"> & { readonly id?: string };

export interface AppInput {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string;
  readonly theme?: AppData["theme"];
  readonly pages?: readonly PageInput[];
  readonly dataSources?: readonly SourceInput[];
}

export async function create(
  ctx: WriteContext<typeof AppCreated>,
  input: AppInput,
): Promise<StoredApp> {
  const slug = input.slug ?? slugOf(input.name);
  if (slug === "")
    throw invalidField("/slug", "is required, because it can't be derived from the name");
  const at = ctx.now.toISOString();
  const app: StoredApp = {
    id: newId("app", ctx.now.getTime()),
    name: input.name,
    slug,
    description: input.description ?? "",
    theme: input.theme ?? null,
    status: "active",
    pages: assignIds(ctx, "pag", (input.pages ?? []).map(normalizePage), []),
    dataSources: assignIds(ctx, "dsr", input.dataSources ?? [], []),
    createdBy: ctx.caller.principal?.id ?? ctx.caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  assertValidDefinition(app, keepPath);
  await store.insert(ctx, app);
  ctx.emit(AppCreated, appRef(app), appEventData(app));
  return app;
}

/** Emits no event when nothing changes. */
export async function update(
  ctx: UpdateContext,
  id: string,
  change: Partial<AppInput>,
): Promise<StoredApp> {
  const before = await lockActive(ctx, id);
  const { pages, dataSources, ...fields } = change;
  return saveApp(ctx, before, {
    ...fields,
    ...(pages && { pages: assignIds(ctx, "pag", pages.map(normalizePage), before.pages) }),
    ...(dataSources && { dataSources: assignIds(ctx, "dsr", dataSources, before.dataSources) }),
  });
}

export async function archive(ctx: WriteContext<typeof AppArchived>, id: string): Promise<void> {
  const before = await lockActive(ctx, id);
  const revision = before.revision + 1;
  const after: StoredApp = { ...before, status: "archived", revision };
  await store.update(ctx, after);
  ctx.emit(AppArchived, appRef(after), appEventData(after));
}

/** Restores an archived app; its deployments can be opened again. */
export async function unarchive(
  ctx: WriteContext<typeof AppUnarchived>,
  id: string,
): Promise<StoredApp> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  if (before.status === "active") return before;
  const after: StoredApp = { ...before, status: "active", revision: before.revision + 1 };
  await store.update(ctx, after);
  ctx.emit(AppUnarchived, appRef(after), appEventData(after));
  return after;
}

/** Creates, changes or (with null) deletes one page. */
export async function savePage(
  ctx: UpdateContext,
  id: string,
  pageId: string | undefined,
  change: Partial<Omit<Page, "id">> | null,
): Promise<{ readonly page: Page; readonly app: StoredApp }> {
  const before = await lockActive(ctx, id);
  const { list, item } = replaceItem(before.pages, pageId, newId("pag", ctx.now.getTime()), change);
  const pages = list.map(normalizePage);
  const app = await saveApp(ctx, before, { pages }, pathWithin("/pages", list.indexOf(item)));
  return { page: normalizePage(item), app };
}

/** Creates, changes or (with null) deletes one data source. */
export async function saveSource(
  ctx: UpdateContext,
  id: string,
  sourceId: string | undefined,
  change: Partial<Omit<DataSource, "id">> | null,
): Promise<{ readonly source: DataSource; readonly app: StoredApp }> {
  const before = await lockActive(ctx, id);
  const { list, item } = replaceItem(
    before.dataSources,
    sourceId,
    newId("dsr", ctx.now.getTime()),
    change,
  );
  const rename = pathWithin("/dataSources", list.indexOf(item));
  const app = await saveApp(ctx, before, { dataSources: list }, rename);
  return { source: item, app };
}

/** Locks an app; throws when it is archived. */
export async function lockActive(ctx: WriteContext<never>, id: string): Promise<StoredApp> {
  const app = await store.lock(ctx.tx, id);
  ctx.expectRevision(app.revision);
  if (app.status === "archived") throw new Failure(AppIsArchived);
  return app;
}

async function saveApp(
  ctx: UpdateContext,
  before: StoredApp,
  change: Partial<StoredApp>,
  rename: (path: string) => string = keepPath,
): Promise<StoredApp> {
  const updatedAt = ctx.now.toISOString();
  const after: StoredApp = { ...before, ...change, updatedAt, revision: before.revision + 1 };
  const difference = diffResource(appEventData(before), appEventData(after));
  if (difference.changes.length === 0) return before;
  assertValidDefinition(after, rename);
  await store.update(ctx, after);
  ctx.emit(AppUpdated, appRef(after), difference);
  return after;
}

/** A list after one item was created, changed or deleted, and that item. */
function replaceItem<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string | undefined,
  newItemId: string,
  change: Partial<Omit<Item, "id">> | null,
): { readonly list: Item[]; readonly item: Item } {
  if (id === undefined) {
    // Complete, by the schema of the request.
    const item = { id: newItemId, ...change } as Item;
    return { list: [...items, item], item };
  }
  const old = items.find((candidate) => candidate.id === id);
  if (!old) throw new Failure(NotFound);
  if (change === null) return { list: items.filter((candidate) => candidate !== old), item: old };
  const item = { ...old, ...change };
  return { list: items.map((candidate) => (candidate === old ? item : candidate)), item };
}

/**
 * Assigns ids to new items. Ids in the request must be unique and must exist, except in an undo, which takes them
 * from the log.
 */
function assignIds<Item extends { readonly id?: string }>(
  ctx: WriteContext<never>,
  prefix: "pag" | "dsr",
  items: readonly Item[],
  known: readonly { readonly id: string }[],
): (Item & { readonly id: string })[] {
  const basePath = prefix === "pag" ? "/pages" : "/dataSources";
  const next = idsInOrder(prefix, ctx.now.getTime());
  const given = items.flatMap(({ id }) => id ?? []);
  const available = new Set(ctx.caller.isUndo ? given : known.map(({ id }) => id));
  return items.map((item, index) => {
    const { id } = item;
    if (id !== undefined && !available.delete(id)) {
      throw invalidField(`${basePath}/${index}/id`, "is not an id of this app, or appears twice");
    }
    return { ...item, id: id ?? next() };
  });
}

function normalizePage<P extends { readonly path: string }>(page: P): P {
  return { ...page, path: normalizePath(page.path) };
}

/** Makes error paths relative to the part in the request. */
function pathWithin(list: string, index: number): (path: string) => string {
  const prefix = `${list}/${index}`;
  return (path) => (index >= 0 && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path);
}

function keepPath(path: string): string {
  return path;
}
