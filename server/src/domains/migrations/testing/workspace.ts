/** Common helpers for migration tests. */
import { expect } from "vitest";
import type { Ask, World } from "#kernel/testing/world.ts";

export const items = {
  op: "create_table",
  table: "items",
  columns: [
    { name: "title", type: "text", required: true },
    { name: "amount", type: "integer", indexed: true },
  ],
};

let count = 0;

/** Creates a separate workspace, because the migrations of a workspace have one order. */
export async function migrationWorkspace(world: World) {
  count += 1;
  const workspace = await world.workspace(`migrations-${count}`);
  const owner: Ask & { userId: string } = await world.member(["owner"], workspace);
  const write = async (up: readonly unknown[], down?: readonly unknown[]): Promise<string> => {
    const { status, body } = await owner("POST /api/v1/migrations", {
      name: `Migration of ${up.length} steps`,
      up,
      ...(down && { down }),
    });
    expect(body).toMatchObject({ data: { status: "pending" } });
    expect(status).toBe(201);
    return body.data.id;
  };
  const apply = (id: string, body?: object, headers?: Record<string, string>) =>
    owner(`POST /api/v1/migrations/${id}/apply`, body, headers);
  return {
    workspace,
    owner,
    write,
    apply,
    rollBack: (id: string, body?: object) => owner(`POST /api/v1/migrations/${id}/rollback`, body),
    /** Creates a migration and applies it. */
    async applied(up: readonly unknown[], down?: readonly unknown[]): Promise<string> {
      const id = await write(up, down);
      expect((await apply(id)).body).toMatchObject({ data: { status: "applied" } });
      return id;
    },
    /** The migration itself. */
    read: async (id: string) => (await owner(`GET /api/v1/migrations/${id}`)).body.data,
    remove: (id: string) => owner(`DELETE /api/v1/migrations/${id}`),
    recordsOf: async (table: string): Promise<any[]> =>
      (await owner(`GET /api/v1/tables/${table}/records?sort=title`)).body.data,
    lastEvent: async () => (await owner("GET /api/v1/audit?limit=1")).body.data[0],
    dumpTables: () => dumpTables(world, workspace),
  };
}

/** Everything that the database contains about the tables of a workspace. */
async function dumpTables(world: World, workspace: { key: string }) {
  const spaces = `like 'tables\\__\\_${workspace.key.replaceAll("-", "")}'`;
  return {
    columns: await world.sql(
      `select table_schema, table_name, column_name, data_type, is_nullable, column_default
         from information_schema.columns
        where table_schema ${spaces} and table_name not like 'View\\_%' order by 1, 2, 3`,
    ),
    indexes: await world.sql(
      `select indexdef from pg_indexes where schemaname ${spaces} order by 1`,
    ),
    constraints: await world.sql(
      `select conname, pg_get_constraintdef(c.oid) as definition from pg_constraint c
         join pg_namespace n on n.oid = c.connamespace where nspname ${spaces} order by 1`,
    ),
    triggers: await world.sql(
      `select tgname, c.relname from pg_trigger t join pg_class c on c.oid = tgrelid
         join pg_namespace n on n.oid = c.relnamespace
        where nspname ${spaces} and not tgisinternal order by 1, 2`,
    ),
    known: await world.sql(
      "select slug, columns, indexes, rules from user_tables where workspace_id = $1 order by 1",
      [workspace.key],
    ),
  };
}
