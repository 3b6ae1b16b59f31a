import { chmod, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { MasterKey } from "../../access/crypto.ts";
import { verifyKeyCheck } from "../../db/setup/key-check.ts";
import { withOwnerClient } from "../../db/setup/owner-connection.ts";
import { startEmbedded } from "../embedded-database.ts";
import { damagedBackup } from "./backup-entry.ts";
import type { Manifest } from "./manifest.ts";
import { restoreBackup } from "./restore.ts";

/** The result of restoring and starting a backup. */
export interface BackupVerification {
  readonly manifest: Manifest;
  readonly migrations: number;
  readonly tables: number;
  readonly rows: number;
  readonly events: number;
  /** True if the included key opens it. Undefined if it includes no key. */
  readonly keyFits: boolean | undefined;
}

/** The copy is deleted afterwards, so it need not be durable. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
};

/**
 * Restores a backup into a temporary folder, starts PostgreSQL on it and reads every row of every table, so
 * that damaged pages fail their checksum. Then deletes the folder.
 */
export async function verifyBackup(backup: string): Promise<BackupVerification> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "millrace-trial-")));
  // The account that runs PostgreSQL for root must be able to enter.
  await chmod(home, 0o711);
  const folder = join(home, "data");
  let cluster: string | undefined;
  try {
    const restored = await restoreBackup(backup, folder);
    cluster = restored.cluster;
    const found = await startAndRead(backup, folder);
    return { manifest: restored.manifest, ...found };
  } finally {
    if (cluster !== undefined) await rm(cluster, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

async function startAndRead(
  backup: string,
  folder: string,
): Promise<Omit<BackupVerification, "manifest">> {
  const database = await startEmbedded({ folder, log: () => undefined, settings: SETTINGS }).catch(
    (error: unknown) => {
      throw damagedBackup(backup, `PostgreSQL can't start with this data (${textOf(error)})`);
    },
  );
  try {
    return await withOwnerClient(database.connection, async (client) => ({
      ...(await readAll(client)),
      keyFits: await tryKey(client, join(folder, "master.key")),
    }));
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw damagedBackup(backup, textOf(error));
    throw error;
  } finally {
    await database.stop();
  }
}

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
     and n.nspname !~ '^pg_(toast|temp)' order by 1`;
/** One query reads by the index, the other by the table. */
const LOG = `
  select (select count(*) from (select from events order by epoch, xid, seq) e)::float8 as in_order,
         (select count(*) from migrations)::float8 as migrations`;

async function readAll(
  client: pg.Client,
): Promise<Omit<BackupVerification, "manifest" | "keyFits">> {
  const { rows: names } = await client.query<{ name: string }>(TABLES);
  let [rows, events] = [0, 0];
  await client.query("set enable_indexscan = off");
  await client.query("set enable_indexonlyscan = off");
  for (const { name } of names) {
    // The text conversion reads the whole row, including its out-of-line (TOAST) values.
    const counted = await client.query<{ count: number }>(
      `select count(t::text)::float8 as count from ${name} t`,
    );
    const count = counted.rows[0]?.count ?? 0;
    rows += count;
    if (name === "public.events") events = count;
  }
  await client.query("reset enable_indexonlyscan");
  await client.query("set enable_seqscan = off");
  const log = await client.query<{ in_order: number; migrations: number }>(LOG);
  const { in_order = 0, migrations = 0 } = log.rows[0] ?? {};
  if (in_order !== events) {
    throw new pg.DatabaseError(
      `the log contains ${events} events, of which ${in_order} are in order`,
      0,
      "error",
    );
  }
  return { migrations, tables: names.length, rows, events };
}

async function tryKey(client: pg.Client, file: string): Promise<boolean | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { rows } = await client.query<{ key_check: Buffer }>("select key_check from installation");
  const key = new MasterKey(Buffer.from(text, "base64"));
  return verifyKeyCheck(key, rows[0]?.key_check ?? Buffer.alloc(0));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
