import { type Logger, pino, stdSerializers } from "pino";
import type { LogTail } from "#kernel/monitor/log-tail.ts";
import { scrubDestination } from "#kernel/secrets/recent-secrets.ts";
import { toReadableLine } from "./log-line.ts";
import { toSourceStack } from "./source-stack.ts";

const FLUSH_MS = 200;
const BATCH_CHARACTERS_MIN = 4_096;

/**
 * Opens the log on standard output, scrubbed of the secrets that were used lately: one JSON object a line, or on
 * a terminal a line for people. It is written in batches, a fraction of a second old at the most: a write for
 * every line slows requests. The last lines stay in the tail.
 */
export function openLog(level: string, tail?: LogTail): Logger {
  const isTerminal = process.stdout.isTTY;
  const destination = pino.destination({ dest: 1, sync: false, minLength: BATCH_CHARACTERS_MIN });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  process.on("exit", () => destination.flushSync());
  const output = {
    write: (line: string) => {
      tail?.push(line);
      return destination.write(
        isTerminal ? toReadableLine(line, { hasColors: hasColors() }) : line,
      );
    },
    flushSync: () => destination.flushSync(),
  };
  return pino({ level, base: null, serializers: { err: toLoggedError } }, scrubDestination(output));
}

function toLoggedError(error: Error): unknown {
  const logged: unknown = stdSerializers.err(error);
  const { stack } = logged as { stack?: unknown };
  return typeof stack === "string"
    ? Object.assign(logged as object, { stack: toSourceStack(stack) })
    : logged;
}

/** See no-color.org. */
function hasColors(): boolean {
  return !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
}
