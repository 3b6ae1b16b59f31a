/** Reads rows of a source page by page, and single rows by id. */
import { Failure } from "#kernel/operation/failure.ts";
import type { Component } from "../../definition/component.ts";
import type { DataSource } from "../../definition/data-source.ts";
import type { AppSession } from "../app-session.ts";
import { idOf, type ResolveContext, resolveConfig, rowsOf } from "./load-sources.ts";
import { listRows, type SourceConfig, SourceFailed, toRowQuery } from "./source-calls.ts";

/** The default page size of a table. */
export const PAGE_SIZE = 20;

type SourceContext = Pick<ResolveContext, "session" | "scope" | "loaded">;

/** One page of a table component. */
export interface TablePage {
  readonly rows: readonly unknown[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
  /** The total number of rows, if requested. */
  readonly total?: number | undefined;
}

/** The page, order and search of a table component. */
export interface TablePageQuery {
  readonly q?: string | undefined;
  /** The fields to search; all texts of a record if absent. */
  readonly searchIn?: readonly string[] | undefined;
  readonly after?: string | undefined;
  /** A field, with `-` in front to descend. */
  readonly sort?: string | undefined;
  readonly pageSize: number;
  readonly isCounted: boolean;
  /** The text of a row to search in, in lower case. */
  readonly searchable: (row: unknown) => string;
  readonly valueOf: (row: unknown, field: string) => unknown;
}

/** Reads one page of a source for a table component. */
export async function readTablePage(
  ctx: SourceContext,
  { dataSource }: Component,
  request: TablePageQuery,
): Promise<TablePage> {
  const source = getSource(ctx.session, dataSource);
  const { q, after, sort, pageSize, searchIn } = request;
  if (!isPaged(source)) {
    return takePage(rowsOf(getLoadedValue(source, ctx.loaded)), request);
  }
  const asked = {
    limit: pageSize,
    ...(q && { q, ...(searchIn && { searchIn: searchIn.join(",") }) }),
    ...(after && { after }),
    ...(sort && { sort }),
    ...(request.isCounted && { count: "exact" }),
  };
  const page = await listPaged(ctx, source, asked);
  if (!page) return { rows: [], next: null };
  const { nextCursor, total } = page.pagination;
  return { rows: page.data, next: nextCursor, total };
}

/** Searches, sorts and pages rows that were loaded at once. */
function takePage(all: readonly unknown[], request: TablePageQuery): TablePage {
  const { q, after, sort, pageSize, searchable, valueOf } = request;
  const found = q ? all.filter((row) => searchable(row).includes(q.toLowerCase())) : all;
  const field = sort?.replace(/^-/, "");
  const rows = field
    ? found.toSorted((a, b) => compare(valueOf(a, field), valueOf(b, field)))
    : found;
  const ordered = sort?.startsWith("-") ? rows.toReversed() : rows;
  const start = Math.max(0, Number(after ?? 0) || 0);
  const end = start + pageSize;
  const next = end < ordered.length ? String(end) : null;
  return { rows: ordered.slice(start, end), next, total: ordered.length };
}

/** Compares numbers by value and all others as text; missing values come last. */
function compare(a: unknown, b: unknown): number {
  const isMissing = (value: unknown): boolean => value === null || value === undefined;
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a as string).localeCompare(String(b as string), "en", { numeric: true });
}

/**
 * Finds a row of a source by id, within the source's own filter: the browser cannot name a row that the source does
 * not return.
 */
export async function findRow(
  ctx: SourceContext,
  { dataSource }: Component,
  id: string,
): Promise<unknown> {
  const source = getSource(ctx.session, dataSource);
  if (!isPaged(source)) {
    return rowsOf(getLoadedValue(source, ctx.loaded)).find((row) => idOf(row) === id);
  }
  return (await listPaged(ctx, source, { limit: 1 }, { id }))?.data[0];
}

/** Finds rows of a source by their ids, within the source's own filter. */
export async function findRows(
  ctx: SourceContext,
  { dataSource }: Component,
  ids: readonly string[],
): Promise<readonly unknown[]> {
  const source = getSource(ctx.session, dataSource);
  if (!isPaged(source)) {
    return rowsOf(getLoadedValue(source, ctx.loaded)).filter((row) =>
      ids.includes(idOf(row) ?? ""),
    );
  }
  const condition = { id: { in: [...ids] } };
  return (await listPaged(ctx, source, { limit: ids.length }, condition))?.data ?? [];
}

/** The rows of a source between two days, or the first rows if the source is not a list. */
export async function readRowsBetween(
  ctx: SourceContext,
  { dataSource }: Component,
  range: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[]> {
  const source = getSource(ctx.session, dataSource);
  if (!isListed(source)) return rowsOf(getLoadedValue(source, ctx.loaded));
  return (await listPaged(ctx, source, { limit: RANGE_ROWS_MAX }, range))?.data ?? [];
}

/** The maximum number of rows in a calendar month. */
export const RANGE_ROWS_MAX = 200;

/** A page of the source's rows that match another condition; undefined if its filter lacks a value. */
async function listPaged(
  { session, scope }: SourceContext,
  source: DataSource,
  asked: SourceConfig,
  condition?: SourceConfig,
) {
  const config = await resolveConfig(session, source, scope);
  if (!config) return undefined;
  const { filter = {} } = config;
  const narrowed = condition && { filter: JSON.stringify({ and: [filter, condition] }) };
  const query = { ...toRowQuery(config), ...narrowed, ...asked };
  return listRows(session.perform, source, config, query);
}

/** Returns whether tables read this source page by page; a source with a limit is loaded at once. */
export function isPaged(source: DataSource): boolean {
  return isListed(source) && source.config["limit"] === undefined;
}

const isListed = ({ kind }: DataSource): boolean => kind === "table" || kind === "tickets";

export function getSource({ served }: AppSession, sourceName: string | undefined): DataSource {
  const source = served.snapshot.dataSources.find(({ name }) => name === sourceName);
  if (!source) throw new Error("A component names a source that is not there.");
  return source;
}

/** The value of a source that was loaded at once: loading it again could repeat its side effects. */
function getLoadedValue({ name }: DataSource, loaded: SourceContext["loaded"]): unknown {
  const entry = loaded.get(name);
  if (!entry) throw new Error(`The source ${name} was not loaded.`);
  if ("error" in entry) throw new Failure(SourceFailed, { detail: entry.error });
  return entry.value;
}
