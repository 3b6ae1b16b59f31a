import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  type AppData,
  AppIsArchived,
  dataOf,
  normalPath,
  type Page,
  referTo,
  slugOf,
  type StoredApp,
} from "./app.ts";
import { assertValidDefinition } from "./check-definition.ts";
import { AppArchived, AppCreated, AppUpdated } from "./events.ts";
import type { DataSource } from "./data-source.ts";
import * as store from "./store.ts";

type Updating = WriteContext<typeof AppUpdated>;
/** What people write: pages and data sources without ids get them, those that have one keep it. */
export type DraftPage = Omit<Page, "id"> & { readonly id?: string };
export type DraftSource = Omit<DataSource, "id"> & { readonly id?: string };

export interface Draft {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string;
  readonly theme?: AppData["theme"];
  readonly pages?: readonly DraftPage[];
  readonly dataSources?: readonly DraftSource[];
}

export async function create(
  ctx: WriteContext<typeof AppCreated>,
  draft: Draft,
): Promise<StoredApp> {
  const slug = draft.slug ?? slugOf(draft.name);
  if (slug === "") throw invalidField("/slug", "is required, since the name gives none");
  const at = ctx.now.toISOString();
  const app: StoredApp = {
    id: newId("app", ctx.now.getTime()),
    name: draft.name,
    slug,
    description: draft.description ?? "",
    theme: draft.theme ?? null,
    status: "active",
    pages: identified(ctx, "pag", (draft.pages ?? []).map(normal), []),
    dataSources: identified(ctx, "dsr", draft.dataSources ?? [], []),
    createdBy: ctx.caller.principal?.id ?? ctx.caller.actor.id,
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  assertValidDefinition(app, asIs);
  await store.insert(ctx, app);
  ctx.emit(AppCreated, referTo(app), dataOf(app));
  return app;
}

/** Nothing new is no change. */
export async function update(
  ctx: Updating,
  id: string,
  change: Partial<Draft>,
): Promise<StoredApp> {
  const before = await lockToChange(ctx, id);
  const { pages, dataSources, ...about } = change;
  return write(ctx, before, {
    ...about,
    ...(pages && { pages: identified(ctx, "pag", pages.map(normal), before.pages) }),
    ...(dataSources && { dataSources: identified(ctx, "dsr", dataSources, before.dataSources) }),
  });
}

export async function archive(ctx: WriteContext<typeof AppArchived>, id: string): Promise<void> {
  const before = await lockToChange(ctx, id);
  const revision = before.revision + 1;
  const after: StoredApp = { ...before, status: "archived", revision };
  await store.update(ctx, after);
  ctx.emit(AppArchived, referTo(after), dataOf(after));
}

/** Makes, changes or (with null) deletes one page; `at` is the index that it has or is to have. */
export async function putPage(
  ctx: Updating,
  id: string,
  pageId: string | undefined,
  change: Partial<Omit<Page, "id">> | null,
): Promise<{ readonly page: Page; readonly app: StoredApp }> {
  const before = await lockToChange(ctx, id);
  const { list, item } = put(before.pages, pageId, newId("pag", ctx.now.getTime()), change);
  const pages = list.map(normal);
  const app = await write(ctx, before, { pages }, below("/pages", list.indexOf(item)));
  return { page: normal(item), app };
}

/** The same for a data source. */
export async function putSource(
  ctx: Updating,
  id: string,
  sourceId: string | undefined,
  change: Partial<Omit<DataSource, "id">> | null,
): Promise<{ readonly source: DataSource; readonly app: StoredApp }> {
  const before = await lockToChange(ctx, id);
  const { list, item } = put(before.dataSources, sourceId, newId("dsr", ctx.now.getTime()), change);
  const rename = below("/dataSources", list.indexOf(item));
  const app = await write(ctx, before, { dataSources: list }, rename);
  return { source: item, app };
}

/** Locks an app that may still be changed. */
export async function lockToChange(ctx: WriteContext<never>, id: string): Promise<StoredApp> {
  const app = await store.lock(ctx.tx, id);
  ctx.expectRevision(app.revision);
  if (app.status === "archived") throw new Failure(AppIsArchived);
  return app;
}

async function write(
  ctx: Updating,
  before: StoredApp,
  change: Partial<StoredApp>,
  rename: (path: string) => string = asIs,
): Promise<StoredApp> {
  const updatedAt = ctx.now.toISOString();
  const after: StoredApp = { ...before, ...change, updatedAt, revision: before.revision + 1 };
  const changed = diffResource(dataOf(before), dataOf(after));
  if (changed.changes.length === 0) return before;
  assertValidDefinition(after, rename);
  await store.update(ctx, after);
  ctx.emit(AppUpdated, referTo(after), changed);
  return after;
}

/** A list with one of its members made, changed or deleted, and that member. */
function put<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string | undefined,
  fresh: string,
  change: Partial<Omit<Item, "id">> | null,
): { readonly list: Item[]; readonly item: Item } {
  if (id === undefined) {
    // A whole draft: the schema of the request has seen to that.
    const item = { id: fresh, ...change } as Item;
    return { list: [...items, item], item };
  }
  const old = items.find((one) => one.id === id);
  if (!old) throw new Failure(NotFound);
  if (change === null) return { list: items.filter((one) => one !== old), item: old };
  const item = { ...old, ...change };
  return { list: items.map((one) => (one === old ? item : one)), item };
}

/** Gives ids to what has none. One that it has must be one of those that were there, and come once. */
function identified<Item extends { readonly id?: string }>(
  ctx: WriteContext<never>,
  prefix: "pag" | "dsr",
  items: readonly Item[],
  known: readonly { readonly id: string }[],
): (Item & { readonly id: string })[] {
  const place = prefix === "pag" ? "/pages" : "/dataSources";
  const next = idsInOrder(prefix, ctx.now.getTime());
  const free = new Set(known.map(({ id }) => id));
  return items.map((item, index) => {
    const { id } = item;
    if (id !== undefined && !free.delete(id)) {
      throw invalidField(`${place}/${index}/id`, "is none of this app's, or comes twice");
    }
    return { ...item, id: id ?? next() };
  });
}

function normal<P extends { readonly path: string }>(page: P): P {
  return { ...page, path: normalPath(page.path) };
}

/** Faults of the one part that a request is about have paths within it. */
function below(list: string, index: number): (path: string) => string {
  const own = `${list}/${index}`;
  return (path) => (index >= 0 && path.startsWith(`${own}/`) ? path.slice(own.length) : path);
}

function asIs(path: string): string {
  return path;
}
