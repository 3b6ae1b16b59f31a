import type { RawScriptError } from "../script-error.ts";
import type { LogLevel } from "../script.ts";

/** A text, where what a script told is one. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function isLogLevel(value: unknown): value is LogLevel {
  return value === "debug" || value === "info" || value === "warn" || value === "error";
}

/** What came over from a context as an error; it may be anything that can be thrown. */
export function readError(thrown: unknown): RawScriptError {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown), stack: "" };
  const { name, message, stack = "" } = thrown;
  return { name: String(name), message: String(message), stack: String(stack) };
}
