import type { FastifyInstance } from "fastify";
import pg from "pg";
import { parse } from "pg-connection-string";
import type { Logger } from "pino";
import type { Domain } from "#kernel/domain.ts";
import { loadMasterKey } from "#kernel/crypto.ts";
import { prepareDatabase } from "#kernel/db/prepare.ts";
import { startEmbedded } from "#kernel/embedded/embedded.ts";
import { buildServer } from "#kernel/http/server.ts";
import { Kernel } from "#kernel/kernel.ts";
import type { Settings } from "#kernel/settings.ts";
import { domains } from "./app.ts";
import { type FirstOwner, firstStart } from "./first-start.ts";

export interface Running {
  readonly address: string;
  /** Set on the very first start. */
  readonly owner: FirstOwner | undefined;
  /** Resolves with the reason when the database ended by itself. */
  readonly died: Promise<string>;
  /** Answers what is under way, then ends. */
  stop(): Promise<void>;
}

/** Starts the product: database, kernel, work, HTTP, in this order; `stop` goes the other way. */
export async function start(
  settings: Settings,
  log: Logger,
  served: readonly Domain[] = domains,
): Promise<Running> {
  const masterKey = loadMasterKey(settings.masterKey, settings.dataDir);
  await using undo = new AsyncDisposableStack();
  const database = await openDatabase(settings, log);
  undo.defer(() => database.stop());
  const kernel = await Kernel.open({
    database: await prepareDatabase(database.connection, masterKey),
    settings,
    masterKey,
    domains: served,
    log,
  });
  undo.defer(() => kernel.close());
  const owner = await firstStart(kernel);
  if (settings.role !== "api") await kernel.startWork();
  const app = await buildServer({
    kernel,
    probesOnly: settings.role === "worker",
  });
  undo.defer(() => close(app));
  const address = await app.listen({ port: settings.port, host: settings.host });
  const begun = undo.move();
  return {
    address,
    owner,
    died: database.died,
    async stop() {
      kernel.drain();
      await begun.disposeAsync();
    },
  };
}

const CLOSE_MAX_MS = 15_000;

/** Requests under way are answered; a client that never ends its request does not hold us up. */
async function close(app: FastifyInstance): Promise<void> {
  const force = setTimeout(() => app.server.closeAllConnections(), CLOSE_MAX_MS);
  await app.close();
  clearTimeout(force);
}

interface OpenDatabase {
  readonly connection: pg.ClientConfig;
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

/** The server database, or the embedded one, which is started. */
export async function openDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  if (settings.databaseUrl === undefined) {
    return startEmbedded({ folder: settings.dataDir, log: (line) => tell(log, line) });
  }
  return {
    connection: connectionOf(settings.databaseUrl),
    died: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

/** What PostgreSQL says of itself: its troubles are news, its routine is not. */
function tell(log: Logger, line: string): void {
  const level = /\b(FATAL|PANIC)\b/.test(line) ? "error" : / LOG: /.test(line) ? "debug" : "info";
  log[level]({ database: line });
}

/** The parts of a connection URL. */
export function connectionOf(url: string): pg.ClientConfig {
  const { host, port, user, password, database, ssl } = parse(url);
  return {
    ...(host && { host }),
    ...(port && { port: Number(port) }),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    ...(ssl !== undefined && { ssl: ssl as boolean }),
  };
}
