/**
 * The embedded PostgreSQL: a real server from an npm package, run as our child on a folder of its own. It must start
 * for root and for an ordinary user, survive a kill -9 at any moment, and never run twice on one folder. The order of
 * the steps is what makes it so: own the folder, end what an earlier life left, make the cluster, start the server.
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
  /** The product's data folder; it is made if missing. */
  readonly folder: string;
  readonly log: (line: string) => void;
  /** PostgreSQL settings that go before ours, such as `fsync=off` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How the owner connects, who is the superuser of this private cluster. */
export interface EmbeddedConnection {
  /** The folder of the unix socket; there is no network port. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A running embedded database. */
export interface EmbeddedDatabase {
  readonly connection: EmbeddedConnection;
  /** Resolves with the reason when the server process ended although nobody asked; the caller then exits. */
  readonly died: Promise<string>;
  /** Ends the server, breaking its connections, waits for its end, then frees the folder. */
  stop(): Promise<void>;
}

/** The one database of the cluster that is ours. */
export const DATABASE = "millrace";
const START_ATTEMPTS_MAX = 3;
const RETRY_DELAY_MS = 500;
const CONNECT_LIMIT_MS = 10_000;

/** Starts the database of a data folder. Throws FolderInUse when a living process has it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  // Only root's folder must let another account pass; the secrets in it are closed by their own modes.
  await mkdir(options.folder, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const folder = await realpath(options.folder);
  // Each beginning is undone in reverse order, by a failing start at once and by stop() later.
  await using undo = new AsyncDisposableStack();
  undo.defer(await claimFolder(folder));
  const password = await readOrCreatePassword(folder);
  const place = await prepareDataFolder(folder, password);
  // It may lie outside the data folder, and whoever makes backups must know.
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
      // A server whose parent was killed just as it was starting may show itself only now.
      if (!(error instanceof ClusterHeld) || attempt === START_ATTEMPTS_MAX) throw error;
      log("another PostgreSQL holds the cluster; ending it");
      await pause(RETRY_DELAY_MS);
    }
  }
}

/** Done at every start, so that a kill between initdb and here does no harm. */
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
