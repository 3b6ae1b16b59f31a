import pg from "pg";
import { objectName } from "#domains/files/index.ts";
import type { BlobStores } from "#kernel/blob-store/blob-places.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { ENVIRONMENT_NAMES } from "#kernel/db/partition.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { quote, readCatalogue } from "../catalogue.ts";

interface DiscardedImport {
  readonly workspace: string;
  /** The accounts that its rows can reference. */
  readonly people: readonly string[];
  readonly startedAt: Date;
}

/** Discards an interrupted or inactive import. Users may have read it, but none of its work has started. */
export async function discardImport(
  owner: pg.ClientConfig,
  blobStores: BlobStores,
  slug: string,
  /** Of two imports with the same slug. */
  key?: string,
): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    await client.query("set statement_timeout = 0; begin");
    const { rows } = await client.query<DiscardedImport>(
      `select workspace_id as workspace, coalesce(people, '[]') as people, started_at as "startedAt"
         from workspace_imports i left join workspaces w on w.key = i.workspace_id
        where i.slug = $1 and i.workspace_id = coalesce($2, i.workspace_id)
          and (i.state = 'loading' and w.key is null
            or i.state in ('loaded', 'imported') and w.paused_at is not null)
          for update of i skip locked`,
      [slug, key ?? null],
    );
    const [found] = rows;
    if (!found)
      throw new StartupError(`No import of ${slug} is interrupted or waits for activation.`);
    const { workspace } = found;
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
    const value = pg.escapeLiteral(workspace);
    const deletions = tables
      .toReversed()
      .map(
        ({ name, keyColumn }) => `delete from ${quote(name)} where ${quote(keyColumn)} = ${value}`,
      );
    await client.query(deletions.join(";"));
    await client.query("delete from workspace_keys where workspace_id = $1", [workspace]);
    await deletePeople(client, found);
    await client.query("delete from workspace_imports where workspace_id = $1", [workspace]);
    await client.query("commit");
  });
}

/** Deletes the accounts created by the import, except those with a sign-in or another membership. */
async function deletePeople(
  client: pg.Client,
  { workspace, people, startedAt }: DiscardedImport,
): Promise<void> {
  await client.query("delete from users where managed_by = $1", [workspace]);
  await client.query(
    `delete from users u
      where u.id = any ($1) and u.created_at >= $2 and u.password_hash is null
        and not exists (select from sessions s where s.user_id = u.id)
        and not exists (select from memberships m where m.user_id = u.id)
        and not exists (select from former_members f where f.user_id = u.id)`,
    [people, startedAt],
  );
}
