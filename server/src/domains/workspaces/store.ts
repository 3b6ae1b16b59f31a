import type { Insertable, Selectable, Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import type { Tables } from "../../tables.ts";
import type { Workspace } from "./workspace.ts";

type Row = Selectable<Tables["workspaces"]>;

export async function insert(tx: Tx, row: Insertable<Tables["workspaces"]>): Promise<Workspace> {
  return toWorkspace(
    await tx.insertInto("workspaces").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function insertKey(tx: Tx, wrapped: Buffer, now: Date): Promise<void> {
  await tx.insertInto("workspace_keys").values({ wrapped, created_at: now }).execute();
}

export async function get(tx: Tx, slug: string): Promise<Workspace> {
  return requireWorkspace(await bySlug(tx, slug).executeTakeFirst());
}

export async function getByKey(tx: Tx, key: string): Promise<Workspace> {
  const row = await tx
    .selectFrom("workspaces")
    .selectAll()
    .where("key", "=", key)
    .executeTakeFirst();
  return requireWorkspace(row);
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, slug: string): Promise<Workspace> {
  return requireWorkspace(await bySlug(tx, slug).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  slug: string,
  change: Updateable<Tables["workspaces"]>,
): Promise<Workspace> {
  return toWorkspace(
    await tx
      .updateTable("workspaces")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("slug", "=", slug)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

/** Lists the caller's workspaces; outside a workspace, row-level security hides all others. */
export async function list(
  tx: Tx,
  page: { readonly after: string; readonly limit: number },
): Promise<Workspace[]> {
  const rows = await tx
    .selectFrom("workspaces")
    .selectAll()
    .where("slug", ">", page.after)
    .orderBy("slug")
    .limit(page.limit)
    .execute();
  return rows.map(toWorkspace);
}

function bySlug(tx: Tx, slug: string) {
  return tx.selectFrom("workspaces").selectAll().where("slug", "=", slug);
}

function requireWorkspace(row: Row | undefined): Workspace {
  if (!row) throw new Failure(NotFound);
  return toWorkspace(row);
}

function toWorkspace(row: Row): Workspace {
  return {
    id: workspaceIdOf(row.key),
    slug: row.slug,
    name: row.name,
    description: row.description,
    plan: row.plan as Workspace["plan"],
    timezone: row.timezone,
    locale: row.locale,
    corsOrigins: row.cors_origins,
    ownEnvironmentValues: row.own_environment_values,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
