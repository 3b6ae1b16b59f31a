import { expect } from "vitest";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

/** A table with records, whose ids ascend in the given order. */
export interface FilledTable {
  readonly slug: string;
  /** The API path of its records. */
  readonly path: string;
  /** The SQL name of the table. */
  readonly place: string;
  readonly ids: readonly string[];
}

/** Creates a table with these columns and inserts records directly, without access rules or events. */
export async function createFilledTable(
  world: World,
  owner: Ask,
  table: {
    readonly columns: readonly object[];
    readonly indexes?: readonly object[];
    readonly rules?: readonly object[];
  },
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<FilledTable> {
  count += 1;
  const slug = `t${count}`;
  const answer = await owner("POST /api/v1/tables", { name: slug, slug, ...table });
  expect(answer.body.errors ?? answer.status).toBe(201);
  const place = `"${schemaOf({ workspace: world.home, environment: "production" })}"."${slug}"`;
  const ids = rows.map((_, index) => recordId(index + 1));
  for (const [index, row] of rows.entries()) {
    const names = Object.keys(row).map((name) => `, "${name}"`);
    const places = Object.keys(row).map((_, at) => `, $${at + 2}`);
    const text = `insert into ${place} (id${names.join("")}) values ($1${places.join("")})`;
    await world.sql(text, [ids[index], ...Object.values(row)]);
  }
  return { slug, path: `/api/v1/tables/${slug}/records`, place, ids };
}

/** The id of the record with this number in a filled table. */
export function recordId(number: number): string {
  return `rec_${String(number).padStart(26, "0")}`;
}

/** Reads all pages of a list. */
export async function pagesOf(
  ask: Ask,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<any[][]> {
  const pages: any[][] = [];
  let after: string | null = null;
  do {
    const all = new URLSearchParams({ ...query, ...(after !== null && { after }) });
    const { status, body } = await ask(`GET ${path}?${all.toString()}`);
    expect(body.errors ?? status).toBe(200);
    pages.push(body.data);
    after = body.pagination.nextCursor as string | null;
    expect(body.pagination.hasMore).toBe(after !== null);
  } while (after !== null);
  return pages;
}

/** Imports a file. */
export function importCsv(
  ask: Ask,
  path: string,
  csv: string,
  query: Record<string, string> = {},
): ReturnType<Ask> {
  const route = `POST ${path}/import?${new URLSearchParams(query).toString()}`;
  return ask(route, csv, { "content-type": "text/csv; charset=utf-8" });
}

/** Returns these fields of all records. */
export async function valuesIn(
  ask: Ask,
  path: string,
  fields: readonly string[],
): Promise<unknown[][]> {
  const records = (await pagesOf(ask, path, { sort: "id" })).flat();
  return records.map((record) => fields.map((field) => record[field]));
}

/** The event types that this many new records append. */
export function created(count: number): string[] {
  return Array.from({ length: count }, () => "record.created");
}

/** All rows of a table as stored. */
export function rowsOf(world: World, { place }: FilledTable): Promise<any[]> {
  return world.sql(`select * from ${place} order by id`);
}

/** The data of the events that a request appended. */
export async function eventDataOf(world: World, requestId: string): Promise<any[]> {
  const rows = await world.sql(
    "select data from events where request_id = $1 order by epoch, xid, seq",
    [requestId],
  );
  return rows.map(({ data }) => data);
}
