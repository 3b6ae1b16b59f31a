import { type Logger, pino } from "pino";
import { scrubDestination } from "#kernel/secrets/recent-secrets.ts";

const FLUSH_MS = 200;
const BATCH_CHARACTERS_MIN = 4_096;

/**
 * Opens the log on standard output, one JSON object a line, scrubbed of the secrets that were used lately. It
 * is written in batches, a fraction of a second old at the most: a write for every line slows requests.
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: false, minLength: BATCH_CHARACTERS_MIN });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  process.on("exit", () => destination.flushSync());
  return pino({ level, base: null }, scrubDestination(destination));
}
