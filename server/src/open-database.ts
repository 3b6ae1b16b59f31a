import type pg from "pg";
import { parse } from "pg-connection-string";
import type { Logger } from "pino";
import { startEmbedded } from "#kernel/embedded/embedded-database.ts";
import type { Settings } from "#kernel/settings.ts";

/** A database to work on, as its owner. */
export interface OpenDatabase {
  readonly connection: pg.ClientConfig;
  /** Where requests and work reach it, when a pooler stands before it. */
  readonly pooler?: pg.ClientConfig;
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
    ...(settings.databasePooler !== undefined && {
      pooler: connectionOf(settings.databasePooler),
    }),
    died: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

/** What PostgreSQL says of itself: its troubles are news, its routine is not. */
function tell(log: Logger, line: string): void {
  const routine = / LOG: |terminating connection due to administrator command/.test(line);
  const level = routine ? "debug" : /\b(FATAL|PANIC)\b/.test(line) ? "error" : "info";
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
