import { stripTypeScriptTypes } from "node:module";
import { syntaxErrorAt, toSourcePosition } from "../script-error.ts";
import type { ScriptError, ScriptKind } from "../script.ts";

export interface StrippedSource {
  readonly stripped?: string;
  readonly error?: ScriptError;
}

/** Strips the types of a source without changing positions. */
export function stripTypes(kind: ScriptKind, source: string): StrippedSource {
  // The stripper accepts only complete programs.
  const program = kind === "body" ? `async function body() {\n${source}\n}` : source;
  try {
    const stripped = stripTypeScriptTypes(program);
    return {
      stripped: kind === "body" ? stripped.slice(stripped.indexOf("\n") + 1, -2) : stripped,
    };
  } catch (error) {
    // Other errors are failures of the stripper itself. The engine has reported the syntax error.
    if (!(error instanceof SyntaxError)) return {};
    const { line, column } = readErrorPosition(error);
    const message = error.message.replace(" in strip-only mode", "");
    const position = { line: kind === "body" ? line - 1 : line, column };
    return { error: toSourcePosition(syntaxErrorAt(message, position), source) };
  }
}

/**
 * The error's position is only in its stack, as a text drawing: a line number, the source, and below it either marks
 * under the position or `>` before each line.
 */
function readErrorPosition({ stack = "" }: Error): {
  readonly line: number;
  readonly column: number;
} {
  const [head = "", ...lines] = stack.split("\n");
  const line = Number(/:(\d+)$/.exec(head)?.[1] ?? 1);
  const marks = lines.find((text) => /^\s*\^+\s*$/.test(text));
  if (marks !== undefined) return { line, column: marks.indexOf("^") + 1 };
  const marked = lines.find((text) => text.startsWith("  > "))?.slice(4) ?? "";
  return { line, column: marked.length - marked.trimStart().length + 1 };
}
