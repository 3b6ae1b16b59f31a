/**
 * The embedded PostgreSQL: a real server from an npm package that runs as a child process on a private folder.
 * It must start for root and for ordinary users, survive a kill -9 at any time, and never run twice on one
 * folder. The order of the steps ensures this: claim the folder, end processes of an earlier run, create the
 * cluster, start the server.
 */
import { mkdir, realpath } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { isRoot } from "./account.ts";
import { findBinaries, prepareBinaries } from "./binaries.ts";
import { ensureCluster, OWNER_ROLE, readOrCreatePassword } from "./cluster.ts";
import { endLeftovers, PORT } from "./leftovers.ts";
import { claimFolder } from "./folder-lock.ts";
import {
  openSocketFolder,
  type DataFolder,
  removeSocketFolder,
  prepareDataFolder,
} from "./data-folder.ts";
import { ClusterHeld, type Postmaster, startPostmaster } from "./postmaster.ts";

export { FolderInUse } from "./folder-lock.ts";

/** The options of a start. */
export interface EmbeddedOptions {
  /** The data folder of the product. Created if missing. */
  readonly folder: string;
  readonly log: (line: string) => void;
  /** PostgreSQL settings that override the defaults, such as `fsync=off` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Connection settings of the owner, who is the superuser of this private cluster. */
export interface EmbeddedConnection {
  /** The folder of the Unix socket. The server does not listen on a network port. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A running embedded database. */
export interface EmbeddedDatabase {
  readonly connection: EmbeddedConnection;
  /** Resolves with the reason if the server process ended unexpectedly. The caller then exits. */
  readonly died: Promise<string>;
  /** Stops the server, closing its connections, waits for its end, then releases the folder. */
  stop(): Promise<void>;
}

/** The only application database of the cluster. */
export const DATABASE = "millrace";
const START_ATTEMPTS_MAX = 3;
const RETRY_DELAY_MS = 500;
const CONNECT_LIMIT_MS = 10_000;

/** Starts the database of a data folder. Throws FolderInUse if a running process owns it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  // For root, the folder must be accessible to another account. The secrets in it have private file modes.
  await mkdir(options.folder, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const folder = await realpath(options.folder);
  // Each step registers its undo, run in reverse order by a failed start or by stop().
  await using undo = new AsyncDisposableStack();
  undo.defer(await claimFolder(folder));
  const password = await readOrCreatePassword(folder);
  const place = await prepareDataFolder(folder, password);
  // It can be outside the data folder, which administrators must know for backups.
  options.log(`the database is in ${place.cluster}`);
  await openSocketFolder(place);
  undo.defer(() => removeSocketFolder(place));
  const postmaster = await startServer(place, password, options);
  undo.defer(() => postmaster.stop());

  const host = place.socketFolder;
  const connection = { host, port: PORT, user: OWNER_ROLE, password, database: DATABASE };
  await ensureDatabase(connection);
  const begun = undo.move();
  let stopping: Promise<void> | undefined;
  return {
    connection,
    died: postmaster.died,
    stop: () => (stopping ??= begun.disposeAsync()),
  };
}

async function startServer(
  place: DataFolder,
  password: string,
  options: EmbeddedOptions,
): Promise<Postmaster> {
  const { log, settings = {} } = options;
  const binaries = await prepareBinaries(await findBinaries(), place.account, place.cacheFolder);
  for (let attempt = 1; ; attempt++) {
    await endLeftovers(place, log);
    await ensureCluster(place, binaries, { password, sync: settings["fsync"] !== "off" });
    try {
      return await startPostmaster(place, binaries, { settings, log });
    } catch (error) {
      // A server whose parent was killed during its start may only be detected now.
      if (!(error instanceof ClusterHeld) || attempt === START_ATTEMPTS_MAX) throw error;
      log("another PostgreSQL process uses the cluster; stopping it");
      await pause(RETRY_DELAY_MS);
    }
  }
}

/** Runs at every start, so a kill after initdb is harmless. */
async function ensureDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = new Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [
      connection.database,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${connection.database}`);
  } finally {
    await client.end();
  }
}
