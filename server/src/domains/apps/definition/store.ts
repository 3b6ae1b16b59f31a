import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { StoredApp } from "./app.ts";

const SUMMARY_COLUMNS = `
  id, name, slug, description, theme, status, created_by as "createdBy", created_at as "createdAt",
  updated_at as "updatedAt", revision`;
const COLUMNS = `${SUMMARY_COLUMNS}, pages, data_sources as "dataSources"`;

/** The list of apps by name, without pages and data sources. */
export const appList: ListDefinition = {
  name: "apps",
  from: "apps",
  select: SUMMARY_COLUMNS,
  fields: {
    id: { sql: "id", kind: "text" },
    name: { sql: "name", kind: "text" },
    slug: { sql: "slug", kind: "text" },
    description: { sql: "description", kind: "text" },
    status: { sql: "status", kind: "text" },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["name", "slug", "description"],
  order: "name",
  tieBreaker: "id",
};

export async function get(tx: Tx, id: string): Promise<StoredApp> {
  return requireApp(await queryRows(tx, `select ${COLUMNS} from apps where id = $1`, [id]));
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<StoredApp> {
  return requireApp(
    await queryRows(tx, `select ${COLUMNS} from apps where id = $1 for update`, [id]),
  );
}

const INSERT = `
  insert into apps (id, name, slug, description, theme, status, pages, data_sources, created_by,
                    created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`;

/** Awaited, since another app may have the slug. */
export async function insert(ctx: WriteContext<never>, app: StoredApp): Promise<void> {
  await ctx.send(INSERT, [...valuesOf(app), app.createdBy, ctx.now]);
}

const UPDATE = `
  update apps
     set name = $2, slug = $3, description = $4, theme = $5, status = $6, pages = $7,
         data_sources = $8, revision = $9, updated_at = $10
   where id = $1`;

/** Awaited, since another app may have the slug. */
export async function update(ctx: WriteContext<never>, app: StoredApp): Promise<void> {
  await ctx.send(UPDATE, [...valuesOf(app), app.revision, ctx.now]);
}

function valuesOf(app: StoredApp): unknown[] {
  const { id, name, slug, description, theme, status, pages, dataSources } = app;
  const json = [pages, dataSources].map((value) => JSON.stringify(value));
  return [id, name, slug, description, theme && JSON.stringify(theme), status, ...json];
}

export async function count(tx: Tx): Promise<number> {
  const [row] = await queryRows(tx, "select count(*) as n from apps where status = 'active'", []);
  return Number(row?.["n"]);
}

/** The columns have the names of the fields. */
function requireApp([row]: readonly SqlRow[]): StoredApp {
  if (!row) throw new Failure(NotFound);
  return row as unknown as StoredApp;
}
