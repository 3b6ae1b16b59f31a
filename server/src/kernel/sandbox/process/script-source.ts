import type ivm from "isolated-vm";
import {
  linesOf,
  withoutPosition,
  SCRIPT,
  syntaxError,
  syntaxErrorAt,
  toSourcePosition,
} from "../script-error.ts";
import type { ScriptError, ScriptKind } from "../script.ts";
import { stripTypes } from "./strip-types.ts";

/** The modules that may be imported: their exports are globals anyway, but editors want an import. */
export const SDK_MODULES = ["@millrace/client", "@millrace/client/artifact"];

/** A script as the engine can run it. */
export interface ScriptProgram {
  readonly kind: ScriptKind;
  /** A module, or an expression that is a function. */
  readonly code: string;
}

export type ParseResult =
  | { readonly program: ScriptProgram; readonly error?: undefined }
  | { readonly error: ScriptError; readonly program?: undefined };

/**
 * Parses a source, as a function body or as a module. Nothing that exports can be a body, and little that
 * returns can be a module, so the kind that parses is the right one; and JavaScript is taken as it stands,
 * since a type stripper reads `a<b>(c)` otherwise. Types leave blanks behind, so that all positions stay.
 */
export async function parseScript(isolate: ivm.Isolate, source: string): Promise<ParseResult> {
  const kinds = /\bexport\b/.test(source) ? (["body", "artifact"] as const) : (["body"] as const);
  const errors = new Map<ScriptKind, ScriptError>();
  for (const kind of kinds) {
    const error = await checkSyntax(isolate, kind, source);
    if (!error) return { program: { kind, code: wrapSource(kind, source) } };
    errors.set(kind, error);
  }
  for (const kind of kinds) {
    const { stripped, error } = stripTypes(kind, source);
    // The engine stumbles over the first type; where both stumble, its message is better.
    if (error && isLater(error, errors.get(kind))) errors.set(kind, error);
    if (stripped === undefined || stripped === source) continue;
    const syntax = await checkSyntax(isolate, kind, stripped);
    if (!syntax) return { program: { kind, code: wrapSource(kind, stripped) } };
    errors.set(kind, syntax);
  }
  const likely = /^\s*export\b/m.test(source) ? "artifact" : "body";
  return { error: errors.get(likely) ?? syntaxError("The script can't be read.") };
}

function isLater(one: ScriptError, other: ScriptError | undefined): boolean {
  if (!other || one.line !== other.line) return (one.line ?? 0) > (other?.line ?? 0);
  return (one.column ?? 0) > (other.column ?? 0);
}

const BODY_START = '(async (input, context) => { "use strict";\n';

function wrapSource(kind: ScriptKind, source: string): string {
  return kind === "body" ? `${BODY_START}${source}\n})` : source;
}

/** The origin with which line numbers are those of the author. */
export function originOf(kind: ScriptKind): ivm.ScriptInfo {
  return { filename: SCRIPT, lineOffset: kind === "body" ? -1 : 0 };
}

/** The syntax error of a source, as JavaScript; undefined when it has none. */
async function checkSyntax(
  isolate: ivm.Isolate,
  kind: ScriptKind,
  source: string,
): Promise<ScriptError | undefined> {
  try {
    if (kind === "artifact") return await checkModuleSyntax(isolate, source);
    (await isolate.compileScript(wrapSource(kind, source), originOf(kind))).release();
    // A text that closes the function early is well-formed in one of these, but never in both.
    const declared = `async function body(input, context) { "use strict";\n${source}\n}`;
    (await isolate.compileScript(declared, originOf(kind))).release();
    return undefined;
  } catch (error) {
    if (isolate.isDisposed || !(error instanceof Error)) throw error;
    if (!(error instanceof SyntaxError)) return withoutPosition(error.name, error.message);
    return toSourcePosition(syntaxError(error.message), source);
  }
}

async function checkModuleSyntax(
  isolate: ivm.Isolate,
  source: string,
): Promise<ScriptError | undefined> {
  const module = await isolate.compileModule(source, originOf("artifact"));
  const foreign = module.dependencySpecifiers.find((name) => !SDK_MODULES.includes(name));
  module.release();
  if (foreign === undefined) return undefined;
  const before = linesOf(source.slice(0, Math.max(0, source.search(quotedPattern(foreign)))));
  const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return syntaxErrorAt(`A script can't import modules such as "${foreign}".`, position);
}

function quotedPattern(specifier: string): RegExp {
  return new RegExp(`["']${RegExp.escape(specifier)}["']`);
}
