import type { RawScriptError } from "../script-error.ts";
import type { LogLevel } from "../script.ts";

/** A text in a message from a script's context. Undefined for other values. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function isLogLevel(value: unknown): value is LogLevel {
  return value === "debug" || value === "info" || value === "warn" || value === "error";
}

/** Reads an error thrown in a context, which can be any value. */
export function readError(thrown: unknown): RawScriptError {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown), stack: "" };
  const { name, message, stack = "" } = thrown;
  return { name: String(name), message: String(message), stack: String(stack) };
}
