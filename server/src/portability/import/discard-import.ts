import type pg from "pg";
import { objectName } from "#domains/files/index.ts";
import type { BlobStores } from "#kernel/blob-store/blob-places.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { ENVIRONMENT_NAMES } from "#kernel/db/partition.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { quote, readCatalogue } from "../catalogue.ts";

/** Takes an import back that was interrupted: nobody has seen anything of it. */
export async function discardImport(
  owner: pg.ClientConfig,
  blobStores: BlobStores,
  slug: string,
): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    await client.query("set statement_timeout = 0; begin");
    const { rows } = await client.query<{ workspace: string }>(
      `select workspace_id as workspace from workspace_imports
        where slug = $1 and state = 'loading' and not exists (select from workspaces where key = workspace_id)
          for update skip locked`,
      [slug],
    );
    const workspace = rows[0]?.workspace;
    if (workspace === undefined)
      throw new StartupError(`There is no import of ${slug} that was interrupted.`);
    const locked = await client.query<{ free: boolean }>(
      "select pg_try_advisory_xact_lock(hashtextextended('import of ' || $1, 0)) as free",
      [workspace],
    );
    if (!locked.rows[0]?.free) throw new StartupError("This workspace is being imported.");
    const blobs = await client.query<{ id: string; place: string }>(
      "select id, place from blobs where workspace_id = $1 and place <> 'database'",
      [workspace],
    );
    for (const { id, place } of blobs.rows)
      await blobStores.at(place).remove(objectName(workspace, id));
    for (const environment of ENVIRONMENT_NAMES) {
      const schema = quote(schemaOf({ workspace, environment }));
      await client.query(`drop schema if exists ${schema} cascade`);
    }
    const { tables } = await readCatalogue(client);
    for (const { name, keyColumn } of tables.toReversed())
      await client.query(`delete from ${quote(name)} where ${quote(keyColumn)} = $1`, [workspace]);
    await client.query("delete from workspace_imports where workspace_id = $1", [workspace]);
    await client.query("commit");
  });
}
