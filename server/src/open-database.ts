import type pg from "pg";
import type { Logger } from "pino";
import { parseConnectionUrl } from "#kernel/db/setup/owner-connection.ts";
import { startEmbedded } from "#kernel/embedded/embedded-database.ts";
import type { Settings } from "#kernel/settings.ts";

/** A database opened as its owner. */
export interface OpenDatabase {
  readonly connection: pg.ClientConfig;
  /** The connection for requests and work, if there is a pooler. */
  readonly pooler?: pg.ClientConfig;
  readonly isEmbedded: boolean;
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

/** The configured server database, or the embedded one, which is started. */
export async function openDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  if (settings.databaseUrl === undefined) {
    const embedded = await startEmbedded({
      folder: settings.dataDir,
      log: (line) => logDatabaseLine(log, line),
    });
    return { ...embedded, isEmbedded: true };
  }
  return {
    isEmbedded: false,
    connection: parseConnectionUrl(settings.databaseUrl),
    ...(settings.databasePooler !== undefined && {
      pooler: parseConnectionUrl(settings.databasePooler),
    }),
    died: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

/** Logs a line of PostgreSQL's log. Routine lines are logged as debug. */
function logDatabaseLine(log: Logger, line: string): void {
  const isRoutine = / LOG: |terminating connection due to administrator command/.test(line);
  const level = isRoutine ? "debug" : /\b(FATAL|PANIC)\b/.test(line) ? "error" : "info";
  log[level]({ database: line });
}
