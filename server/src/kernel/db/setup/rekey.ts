import type pg from "pg";
import type { MasterKey } from "../../access/crypto.ts";
import { StartupError } from "../../startup-error.ts";
import { NO_WORKSPACE } from "../database.ts";
import { verifyKeyCheck, sealKeyCheck } from "./key-check.ts";
import { withOwnerClient } from "./owner-connection.ts";
import { loginPasswords } from "./prepare-database.ts";
import { ensureLogins, roleNames } from "./roles.ts";

const BATCH_KEYS_MAX = 1_000;

const READ = `
  select workspace_id, wrapped from workspace_keys
   where workspace_id > $1 order by workspace_id limit $2`;
const WRITE = `
  update workspace_keys k set wrapped = rewrapped.wrapped
    from unnest($1::uuid[], $2::bytea[]) as rewrapped (workspace_id, wrapped)
   where k.workspace_id = rewrapped.workspace_id`;

export interface MasterKeys {
  readonly from: MasterKey;
  readonly to: MasterKey;
}

/**
 * Rotates the master key as the owner: all data keys and the key check in one transaction, then the derived
 * passwords. After a crash, repeating it completes the rotation.
 */
export async function rekey(owner: pg.ClientConfig, keys: MasterKeys): Promise<number> {
  const rewrapped = await withOwnerClient(owner, async (client) => {
    await client.query("begin");
    await client.query("lock table installation, workspace_keys in exclusive mode");
    await assertAlone(client);
    const { rows } = await client.query<{ key_check: Buffer }>(
      "select key_check from installation",
    );
    const check = rows[0]?.key_check ?? Buffer.alloc(0);
    if (verifyKeyCheck(keys.to, check)) return 0;
    if (!verifyKeyCheck(keys.from, check)) throw wrongKey();
    const count = await rewrapAll(client, keys);
    await client.query("update installation set key_check = $1", [sealKeyCheck(keys.to)]);
    await client.query("commit");
    return count;
  });
  await ensureLogins(owner, loginPasswords(keys.to));
  return rewrapped;
}

/** A running server would wrap keys of new workspaces with the old master key. */
async function assertAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select current_database() as name");
  const { app, system, sql } = roleNames(rows[0]?.name ?? "");
  const others = await client.query(
    "select from pg_stat_activity where datname = current_database() and usename = any($1) limit 1",
    [[app, system, sql]],
  );
  if (others.rowCount !== 0) {
    throw new StartupError(
      "Millrace is running on this database. Stop all its processes, and any connection pooler first.",
    );
  }
}

async function rewrapAll(client: pg.Client, { from, to }: MasterKeys): Promise<number> {
  let last = NO_WORKSPACE;
  for (let count = 0; ;) {
    const { rows } = await client.query<{ workspace_id: string; wrapped: Buffer }>(READ, [
      last,
      BATCH_KEYS_MAX,
    ]);
    const end = rows.at(-1);
    if (!end) return count;
    await client.query(WRITE, [
      rows.map((row) => row.workspace_id),
      rows.map((row) => to.wrap(from.unwrap(row.wrapped, row.workspace_id), row.workspace_id)),
    ]);
    last = end.workspace_id;
    count += rows.length;
  }
}

function wrongKey(): StartupError {
  return new StartupError(
    "The current master key does not match this database. Set MILLRACE_MASTER_KEY, or restore the file master.key of its data folder.",
  );
}
