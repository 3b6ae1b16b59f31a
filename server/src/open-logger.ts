import { type Logger, pino, stdSerializers } from "pino";
import type { LogTail } from "#kernel/monitor/log-tail.ts";
import { scrubDestination } from "#kernel/secrets/recent-secrets.ts";
import { toReadableLine } from "./log-line.ts";
import { toSourceStack } from "./source-stack.ts";

const FLUSH_MS = 200;
const BATCH_CHARACTERS_MIN = 4_096;

/**
 * Opens the log on standard output without recently used secrets: one JSON object per line, or a readable line on a
 * terminal. It is written in batches within a fraction of a second, because a write per line slows requests. The last
 * lines are kept in the tail.
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
 * The logged form of an error: these four fields, without additions by libraries. The driver's errors contain their
 * connection, with its cancellation key, and users' rows.
 */
export function toLoggedError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: toText(error) };
  // Includes the messages and stacks of its causes.
  const { type, message, stack } = stdSerializers.err(error);
  const { code } = error as { readonly code?: unknown };
  const isCode = typeof code === "string" || typeof code === "number";
  return { type, message, stack: toSourceStack(stack), ...(isCode && { code }) };
}

/** The text of any thrown value, whose conversion may fail. */
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
