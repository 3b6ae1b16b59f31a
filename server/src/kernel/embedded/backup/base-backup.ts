/**
 * A copy of a cluster during writes, by PostgreSQL's low-level protocol. Between `pg_backup_start` and
 * `pg_backup_stop` the files may be read in any order and state, because the copy includes the write-ahead log
 * of that time, which brings all files to the time of the stop. Everything runs in one session: if it breaks or
 * this process is killed, PostgreSQL ends the backup.
 */
import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { filesFolder } from "../../blob-store/files-folder.ts";
import { PLATFORM_VERSION } from "../../settings.ts";
import type { EmbeddedConnection } from "../embedded-database.ts";
import { errnoOf } from "../processes.ts";
import { type BackupEntry, fileEntry, textEntry } from "./backup-entry.ts";
import { type Origin, withManifest } from "./manifest.ts";

/** The files and folders of a cluster that belong in a backup, relative to it. */
export interface Contents {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Folders that the server recreates, or that must not contain data from another run. */
const EMPTIED = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  // The required segments are added at the end.
  "pg_wal",
]);
const LEFT_OUT = new Set([
  "backup_label",
  "backup_manifest",
  "current_logfiles",
  "pg_internal.init",
  "postgresql.auto.conf.tmp",
  "postmaster.opts",
  "postmaster.pid",
  "recovery.signal",
  "standby.signal",
  "tablespace_map",
]);
/** Files of sorts, joins and temporary tables. */
const TEMPORARY = /^(?:pgsql_tmp|pg_internal\.init\.|t\d+_\d+)/;
/** Folders that a running cluster needs inside the emptied ones. */
const WANTED = ["pg_wal/archive_status", "pg_wal/summaries"];
/** It must be copied last, because it defines where recovery starts. */
const CONTROL = "global/pg_control";

/** Lists the files of a cluster. In a running cluster, files can disappear during the listing and are skipped. */
async function listCluster(cluster: string): Promise<Contents> {
  const files: string[] = [];
  const folders: string[] = [...WANTED];
  const visit = async (path: string): Promise<void> => {
    for (const entry of await list(join(cluster, path))) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || TEMPORARY.test(entry.name)) continue;
      if (entry.isDirectory()) {
        folders.push(name);
        if (!EMPTIED.has(name)) await visit(name);
      } else if (entry.isFile() && name !== CONTROL) files.push(name);
      else if (entry.isSymbolicLink())
        throw new Error(`${name} is a link, which no backup follows.`);
    }
  };
  await visit("");
  return { files, folders };
}

async function list(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return [];
  }
}

/** A running cluster and its data folder. */
export interface Source {
  readonly folder: string;
  readonly cluster: string;
  readonly connection: EmbeddedConnection;
}

const CONTROL_READS_MAX = 100;
const CONTROL_PAUSE_MS = 20;

const READ_SERVER = `
  select current_setting('server_version') as version,
         pg_size_bytes(current_setting('wal_segment_size'))::float8 as segment_bytes`;
/** Creates a temporary replication slot. It keeps the write-ahead log from this position until the session ends. */
const KEEP_WAL = "select pg_create_physical_replication_slot($1, true, true)";
const START = "select pg_walfile_name(pg_backup_start('millrace', true)) as file";
const STOP = `
  select labelfile, spcmapfile, pg_walfile_name(lsn) as file, clock_timestamp() as at
    from pg_backup_stop(false)`;

interface ServerRow {
  readonly version: string;
  readonly segment_bytes: number;
}
interface StopRow {
  readonly labelfile: string;
  readonly spcmapfile: string;
  readonly file: string;
  readonly at: Date;
}

/** The files of a backup, the password first and the manifest last. With `withKey`, it includes master.key. */
export async function* startBackup(
  source: Source,
  { withKey }: { readonly withKey: boolean },
): AsyncGenerator<BackupEntry> {
  const client = new Client(source.connection);
  // The current statement reports a broken connection.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { version, segment_bytes } = await queryOne<ServerRow>(client, READ_SERVER);
    const origin = { startedAt: new Date().toISOString(), completeUpTo: "", folders: [""] };
    const entries = readEntries(client, source, {
      names: ["postgres.password", ...(withKey ? ["master.key"] : [])],
      segmentBytes: segment_bytes,
      onProgress: (progress) => Object.assign(origin, progress),
    });
    yield* withManifest(entries, () => ({
      millrace: PLATFORM_VERSION,
      postgresql: version,
      platform: `${process.platform}-${process.arch}`,
      ...origin,
    }));
  } finally {
    await client.end();
  }
}

interface ReadOptions {
  /** Files in the data folder itself. */
  readonly names: readonly string[];
  readonly segmentBytes: number;
  /** Reports the parts of the origin that are known only during the backup. */
  readonly onProgress: (progress: Partial<Pick<Origin, "completeUpTo" | "folders">>) => void;
}

async function* readEntries(
  client: Client,
  { folder, cluster }: Source,
  { names, segmentBytes, onProgress }: ReadOptions,
): AsyncGenerator<BackupEntry> {
  for (const name of names) yield assertPresent(name, await fileEntry(name, join(folder, name)));
  await client.query(KEEP_WAL, [`millrace_backup_${randomUUID().replaceAll("-", "")}`]);
  const first = await queryOne<{ file: string }>(client, START);
  const contents = await listCluster(cluster);
  onProgress({ folders: contents.folders });
  for (const path of contents.files) {
    const entry = await fileEntry(`postgres/${path}`, join(cluster, path));
    // A file without an entry belongs to a dropped table. The write-ahead log contains the drop as well.
    if (entry) yield entry;
  }
  yield await readControlFile(cluster);
  const last = await queryOne<StopRow>(client, STOP);
  if (last.spcmapfile !== "") throw new Error("A cluster with tablespaces can't be backed up.");
  onProgress({ completeUpTo: last.at.toISOString() });
  yield textEntry("postgres/backup_label", last.labelfile);
  for (const name of await walFiles(cluster, {
    first: first.file,
    last: last.file,
    segmentBytes,
  })) {
    const path = `pg_wal/${name}`;
    yield assertPresent(path, await fileEntry(`postgres/${path}`, join(cluster, path)));
  }
  yield* readContents(filesFolder(folder));
}

/**
 * Copies file contents after the rows that reference them. Contents are kept for a day after their last row is
 * deleted, so none is missing. New contents without a row in the backup are collected after a restore.
 */
async function* readContents(root: string): AsyncGenerator<BackupEntry> {
  for (const workspace of await list(root)) {
    for (const part of await list(join(root, workspace.name))) {
      const folder = `${workspace.name}/${part.name}`;
      for (const { name } of await list(join(root, folder))) {
        const entry = await fileEntry(`files/${folder}/${name}`, join(root, folder, name));
        if (entry) yield entry;
      }
    }
  }
}

async function queryOne<Row extends object>(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  const [row] = rows;
  if (!row) throw new Error("PostgreSQL does not answer about the backup.");
  return row;
}

/** The server may be writing it, which could give a mix of old and new bytes, so two readings must agree. */
async function readControlFile(cluster: string): Promise<BackupEntry> {
  let before = await readFile(join(cluster, CONTROL));
  for (let reads = 0; reads < CONTROL_READS_MAX; reads += 1) {
    await pause(CONTROL_PAUSE_MS);
    const after = await readFile(join(cluster, CONTROL));
    if (after.equals(before)) {
      return {
        path: `postgres/${CONTROL}`,
        size: after.length,
        content: (async function* () {
          yield after;
        })(),
      };
    }
    before = after;
  }
  throw new Error(`${CONTROL} does not hold still.`);
}

/** The segments from the first to the last, and the timeline history files. */
async function walFiles(
  cluster: string,
  span: { readonly first: string; readonly last: string; readonly segmentBytes: number },
): Promise<string[]> {
  const names = (await readdir(join(cluster, "pg_wal"))).toSorted();
  const timeline = span.first.slice(0, 8);
  const segments = names.filter(
    (name) =>
      /^[0-9A-F]{24}$/.test(name) &&
      name.startsWith(timeline) &&
      name >= span.first &&
      name <= span.last,
  );
  const numberOf = (name: string): number =>
    Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / span.segmentBytes) +
    Number.parseInt(name.slice(16), 16);
  const expected = numberOf(span.last) - numberOf(span.first) + 1;
  if (segments.length !== expected) {
    throw new Error(`Of ${expected} segments of the log only ${segments.length} are there.`);
  }
  return [...names.filter((name) => /^[0-9A-F]{8}\.history$/.test(name)), ...segments];
}

function assertPresent(path: string, entry: BackupEntry | undefined): BackupEntry {
  if (!entry) throw new Error(`${path} has gone while it was needed.`);
  return entry;
}
