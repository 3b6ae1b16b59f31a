import type { ScriptError } from "./script.ts";

/** The name under which a script's own source is known to the engine. */
export const SCRIPT = "script";

/** An error as the engine tells it. */
export interface RawScriptError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** An error of a script with its place in the author's source; frames of ours are left out. */
export function scriptError({ name, message, stack }: RawScriptError, source: string): ScriptError {
  const frames = stack.split("\n").filter((line) => FRAME.test(line));
  const [, line, column] = /script:(\d+):(\d+)/.exec(frames[0] ?? "") ?? [];
  const place = { line: line ? Number(line) : null, column: column ? Number(column) : null };
  const said = isImport(message, source, place) ? "A script can't import modules." : message;
  return { name, message: said, ...place, stack: frames.map((frame) => frame.trim()).join("\n") };
}

/** An error of the parser, which has its place in its message. */
export function syntaxError(message: string): ScriptError {
  const [suffix = "", line = "1", column = "1"] = / \[script:(\d+):(\d+)\]$/.exec(message) ?? [];
  const said = message.slice(0, message.length - suffix.length);
  return syntaxErrorAt(
    said.startsWith("Cannot use import statement") ? "A script can't import modules." : said,
    { line: Number(line), column: Number(column) },
  );
}

export function syntaxErrorAt(
  message: string,
  place: Pick<ScriptError, "line" | "column">,
): ScriptError {
  return { name: "SyntaxError", message, ...place, stack: "" };
}

/** What is missing at the end of a source, a parser finds out only behind it: it is told where that ends. */
export function toSourcePosition(error: ScriptError, source: string): ScriptError {
  const { line, column, message } = error;
  const lines = linesOf(source.trimEnd());
  const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  if (line === null || line < end.line) return error;
  if (line === end.line && (column ?? 0) <= end.column) return error;
  // Further down stands only what we put around a body, which the author has never seen.
  const isOurs = line > linesOf(source).length;
  return syntaxErrorAt(isOurs ? "Unexpected end of input" : message, end);
}

/** The lines of a source, as the engine counts them. */
export function linesOf(source: string): string[] {
  return source.split(/\r\n|[\n\r\u2028\u2029]/);
}

/** An error that no place in the source is to blame for. */
export function withoutPosition(name: string, message: string): ScriptError {
  return { name, message, line: null, column: null, stack: "" };
}

const FRAME = /^\s+at .*\bscript:\d+:\d+\)?$/;

/** The engine says no more than this of `import()`, so that only the source tells what was meant. */
function isImport(
  message: string,
  source: string,
  { line, column }: Pick<ScriptError, "line" | "column">,
): boolean {
  if (message !== "Not supported" || line === null || column === null) return false;
  return /^(?:await\s+)?import\b/.test(linesOf(source)[line - 1]?.slice(column - 1) ?? "");
}
