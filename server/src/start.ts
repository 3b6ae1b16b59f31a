import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Domain } from "#kernel/contract.ts";
import { ensureMasterKey, loadMasterKey, type MasterKey } from "#kernel/access/crypto.ts";
import { isInstalled } from "#kernel/db/setup/owner-connection.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { buildServer } from "#kernel/http/server.ts";
import { Kernel } from "#kernel/kernel.ts";
import type { LogTail } from "#kernel/monitor/log-tail.ts";
import type { Settings } from "#kernel/settings.ts";
import { domains } from "./app.ts";
import { type FirstOwner, firstStart } from "./first-start.ts";
import { openConsole } from "./open-console.ts";
import { openDatabase, type OpenDatabase } from "./open-database.ts";
import { toListenError } from "./preflight.ts";

export interface Running {
  readonly address: string;
  /** Resolves with the reason if the database ended unexpectedly. */
  readonly died: Promise<string>;
  /** Finishes requests in progress, then ends. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** All domains of the product, unless a test adds some. */
  readonly domains?: readonly Domain[];
  /** Called as soon as the first owner exists, and at each start until the first login. */
  readonly announceOwner?: (owner: FirstOwner) => void;
  /** The store for the last lines of `log`. */
  readonly logTail?: LogTail;
}

/** Starts database, kernel, work and HTTP in this order. `stop` ends them in reverse. */
export async function start(
  settings: Settings,
  log: Logger,
  { domains: productDomains = domains, announceOwner, logTail }: StartOptions = {},
): Promise<Running> {
  // In parallel with the start of the database, which takes longer.
  const consoleFolder = openConsole(settings, log);
  await using cleanup = new AsyncDisposableStack();
  const database = await openDatabase(settings, log);
  cleanup.defer(() => database.stop());
  const masterKey = await findMasterKey(settings, database);
  const prepared = await prepareDatabase(database.connection, masterKey, database.pooler);
  if (prepared.vectorCopies !== "ready" && prepared.vectorCopies !== "absent") {
    const about = { reason: prepared.vectorCopies };
    log.warn(about, "pgvector is not available: vector search is slower");
  }
  const kernel = await Kernel.open({
    database: { ...prepared, isEmbedded: database.isEmbedded },
    settings,
    masterKey,
    domains: productDomains,
    log,
    ...(logTail && { logTail }),
  });
  cleanup.defer(() => kernel.close());
  const owner = await firstStart(kernel);
  if (owner) announceOwner?.(owner);
  if (settings.role !== "api") await kernel.startWork();
  const app = await buildServer({
    kernel,
    probesOnly: settings.role === "worker",
    consoleFolder: await consoleFolder,
  });
  cleanup.defer(() => closeServer(app));
  const address = await app
    .listen({ port: settings.port, host: settings.host })
    .catch((error: unknown) => Promise.reject(toListenError(error, settings)));
  const started = cleanup.move();
  return {
    address,
    died: database.died,
    async stop() {
      kernel.leave();
      await pause(settings.stopDelaySeconds * 1_000);
      kernel.drain();
      await started.disposeAsync();
    },
  };
}

/**
 * The key of this database. Only a new database gets a generated key, because an existing one can't be opened with
 * another.
 */
async function findMasterKey(settings: Settings, database: OpenDatabase): Promise<MasterKey> {
  const find = (await isInstalled(database.connection)) ? loadMasterKey : ensureMasterKey;
  return find(settings.masterKey, settings.dataDir);
}

const CLOSE_TIMEOUT_MS = 15_000;

/** Finishes requests in progress. A client that never completes its request does not delay the shutdown. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const force = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await app.close();
  clearTimeout(force);
}
