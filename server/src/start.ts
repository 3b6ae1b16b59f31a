import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Domain } from "#kernel/contract.ts";
import { loadMasterKey } from "#kernel/access/crypto.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { buildServer } from "#kernel/http/server.ts";
import { Kernel } from "#kernel/kernel.ts";
import type { Settings } from "#kernel/settings.ts";
import { domains } from "./app.ts";
import { type FirstOwner, firstStart } from "./first-start.ts";
import { openDatabase } from "./open-database.ts";

export interface Running {
  readonly address: string;
  /** Set on the very first start. */
  readonly owner: FirstOwner | undefined;
  /** Resolves with the reason when the database ended by itself. */
  readonly died: Promise<string>;
  /** Finishes requests in progress, then ends. */
  stop(): Promise<void>;
}

/** Starts the product: database, kernel, work, HTTP, in this order; `stop` ends them in reverse. */
export async function start(
  settings: Settings,
  log: Logger,
  productDomains: readonly Domain[] = domains,
): Promise<Running> {
  const masterKey = loadMasterKey(settings.masterKey, settings.dataDir);
  await using cleanup = new AsyncDisposableStack();
  const database = await openDatabase(settings, log);
  cleanup.defer(() => database.stop());
  const prepared = await prepareDatabase(database.connection, masterKey, database.pooler);
  const kernel = await Kernel.open({
    database: { ...prepared, isEmbedded: database.isEmbedded },
    settings,
    masterKey,
    domains: productDomains,
    log,
  });
  cleanup.defer(() => kernel.close());
  const owner = await firstStart(kernel);
  if (settings.role !== "api") await kernel.startWork();
  const app = await buildServer({
    kernel,
    probesOnly: settings.role === "worker",
  });
  cleanup.defer(() => closeServer(app));
  const address = await app.listen({ port: settings.port, host: settings.host });
  const started = cleanup.move();
  return {
    address,
    owner,
    died: database.died,
    async stop() {
      kernel.leave();
      await pause(settings.stopDelaySeconds * 1_000);
      kernel.drain();
      await started.disposeAsync();
    },
  };
}

const CLOSE_TIMEOUT_MS = 15_000;

/** Finishes requests in progress; a client that never ends its request does not delay the shutdown. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const force = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await app.close();
  clearTimeout(force);
}
