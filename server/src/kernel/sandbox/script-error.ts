import type { ScriptError } from "./script.ts";

/** The file name of a script's source in the engine. */
export const SCRIPT = "script";

/** An error as reported by V8. */
export interface RawScriptError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Maps a script error to a position in the author's source and removes internal stack frames. */
export function scriptError({ name, message, stack }: RawScriptError, source: string): ScriptError {
  const frames = stack.split("\n").filter((line) => FRAME.test(line));
  const own = frames.find((frame) => OWN_FRAME.test(frame)) ?? "";
  const [, line, column] = OWN_FRAME.exec(own) ?? [];
  const position = { line: line ? Number(line) : null, column: column ? Number(column) : null };
  const text = isImport(message, source, position) ? "A script can't import modules." : message;
  return {
    name,
    message: text,
    ...position,
    stack: frames.map((frame) => frame.trim()).join("\n"),
  };
}

/** A parser error, which contains its position in its message. */
export function syntaxError(message: string): ScriptError {
  const [suffix = "", line = "1", column = "1"] = / \[script:(\d+):(\d+)\]$/.exec(message) ?? [];
  const text = message.slice(0, message.length - suffix.length);
  return syntaxErrorAt(
    text.startsWith("Cannot use import statement") ? "A script can't import modules." : text,
    { line: Number(line), column: Number(column) },
  );
}

export function syntaxErrorAt(
  message: string,
  position: Pick<ScriptError, "line" | "column">,
): ScriptError {
  return { name: "SyntaxError", message, ...position, stack: "" };
}

/** Moves a position beyond the source back to its end, because the parser reports missing code there. */
export function toSourcePosition(error: ScriptError, source: string): ScriptError {
  const { line, column, message } = error;
  const lines = linesOf(source.trimEnd());
  const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  if (line === null || line < end.line) return error;
  if (line === end.line && (column ?? 0) <= end.column) return error;
  // Further lines belong to the wrapper, which the author can't see.
  const isOurs = line > linesOf(source).length;
  return syntaxErrorAt(isOurs ? "Unexpected end of input" : message, end);
}

/** The lines of a source, counted like the engine. */
export function linesOf(source: string): string[] {
  return source.split(/\r\n|[\n\r\u2028\u2029]/);
}

/** An error without a position in the source. */
export function withoutPosition(name: string, message: string): ScriptError {
  return { name, message, line: null, column: null, stack: "" };
}

const FRAME = /^\s+at .*(?:\bscript|\bmodule:[\w/-]+):\d+:\d+\)?$/;
const OWN_FRAME = /\bscript:(\d+):(\d+)\)?$/;

/** For `import()`, V8 reports only "Not supported", so the source is checked. */
function isImport(
  message: string,
  source: string,
  { line, column }: Pick<ScriptError, "line" | "column">,
): boolean {
  if (message !== "Not supported" || line === null || column === null) return false;
  return /^(?:await\s+)?import\b/.test(linesOf(source)[line - 1]?.slice(column - 1) ?? "");
}
