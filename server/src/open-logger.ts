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

/**
 * An error as it is logged: these four fields, and none that a library put on it. The driver's errors carry their
 * connection, with the key by which it can be cancelled, and rows of people.
 */
export function toLoggedError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: toText(error) };
  // With the messages and stacks of its causes.
  const { type, message, stack } = stdSerializers.err(error);
  const { code } = error as { readonly code?: unknown };
  const isCode = typeof code === "string" || typeof code === "number";
  return { type, message, stack: toSourceStack(stack), ...(isCode && { code }) };
}

/** The text of whatever was thrown, which need not have one, or throws when it is asked for it. */
function toText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something without a text was thrown";
  }
}

/** See no-color.org. */
function hasColors(): boolean {
  return !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
}
