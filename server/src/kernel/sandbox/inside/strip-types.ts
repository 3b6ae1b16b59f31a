import { stripTypeScriptTypes } from "node:module";
import { syntaxErrorAt, toSourcePosition } from "../script-error.ts";
import type { ScriptError, ScriptKind } from "../script.ts";

export interface Stripped {
  readonly stripped?: string;
  readonly error?: ScriptError;
}

/** A source without its types: JavaScript with each thing where it was. */
export function strip(kind: ScriptKind, source: string): Stripped {
  // The stripper knows no bodies, only whole programs.
  const program = kind === "body" ? `async function body() {\n${source}\n}` : source;
  try {
    const stripped = stripTypeScriptTypes(program);
    return {
      stripped: kind === "body" ? stripped.slice(stripped.indexOf("\n") + 1, -2) : stripped,
    };
  } catch (error) {
    // What is no syntax error is an overrun of the stripper's own; the engine has said what is wrong.
    if (!(error instanceof SyntaxError)) return {};
    const { line, column } = placeOf(error);
    const message = error.message.replace(" in strip-only mode", "");
    const place = { line: kind === "body" ? line - 1 : line, column };
    return { error: toSourcePosition(syntaxErrorAt(message, place), source) };
  }
}

/**
 * The error has its place only in its stack, as a picture: a line number, the source, and below it either
 * marks under the place or `>` before each of its lines.
 */
function placeOf({ stack = "" }: Error): { readonly line: number; readonly column: number } {
  const [head = "", ...lines] = stack.split("\n");
  const line = Number(/:(\d+)$/.exec(head)?.[1] ?? 1);
  const marks = lines.find((text) => /^\s*\^+\s*$/.test(text));
  if (marks !== undefined) return { line, column: marks.indexOf("^") + 1 };
  const marked = lines.find((text) => text.startsWith("  > "))?.slice(4) ?? "";
  return { line, column: marked.length - marked.trimStart().length + 1 };
}
