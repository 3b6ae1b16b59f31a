import type ivm from "isolated-vm";
import {
  linesOf,
  withoutPosition,
  SCRIPT,
  syntaxError,
  syntaxErrorAt,
  toSourcePosition,
} from "../script-error.ts";
import type { ScriptModules } from "../module-import.ts";
import type { ScriptError, ScriptKind } from "../script.ts";
import { splitImports } from "./leading-imports.ts";
import { stripTypes } from "./strip-types.ts";

/** The importable SDK modules. Their exports are globals, but editors require an import. */
export const SDK_MODULES = ["@millrace/client", "@millrace/client/artifact"];

/** A script in executable form. */
export interface ScriptProgram {
  readonly kind: ScriptKind;
  /** A module, or an expression that evaluates to a function. */
  readonly code: string;
  /** True for an artifact, and for a body with imports. */
  readonly isModule: boolean;
}

export type ParseResult =
  | { readonly program: ScriptProgram; readonly error?: undefined }
  | { readonly error: ScriptError; readonly program?: undefined };

/**
 * Parses a source as a function body or as a module. A source with exports is not a valid body, and a source with a
 * return is rarely a valid module, so the kind that parses is the right one. JavaScript is tried first, because a type
 * stripper parses `a<b>(c)` differently. Types are replaced by blanks, so all positions stay the same.
 */
export async function parseScript(
  isolate: ivm.Isolate,
  source: string,
  modules: ScriptModules = {},
): Promise<ParseResult> {
  const { imports, rest } = /\bimport\b/.test(source) ? splitImports(source) : NO_IMPORTS;
  if (imports === "") return parseWhole(isolate, source, modules);
  // A function cannot contain imports, so they stay before the function body.
  const body = await parseBody(isolate, rest);
  if (!body.program) {
    const whole = await parseWhole(isolate, source, modules);
    return whole.program || /^\s*export\b/m.test(source) ? whole : body;
  }
  const { stripped = imports } = stripTypes("artifact", imports);
  const code = `${stripped} export default ${body.program.code}`;
  const error = await checkModuleSyntax(isolate, { code, source, kind: "body", modules });
  return error ? { error } : { program: { kind: "body", code, isModule: true } };
}

const NO_IMPORTS = { imports: "", rest: "" };

function parseBody(isolate: ivm.Isolate, source: string): Promise<ParseResult> {
  return parseKinds(isolate, source, ["body"], {});
}

function parseWhole(
  isolate: ivm.Isolate,
  source: string,
  modules: ScriptModules,
): Promise<ParseResult> {
  const kinds = /\bexport\b/.test(source) ? (["body", "artifact"] as const) : (["body"] as const);
  return parseKinds(isolate, source, kinds, modules);
}

async function parseKinds(
  isolate: ivm.Isolate,
  source: string,
  kinds: readonly ScriptKind[],
  modules: ScriptModules,
): Promise<ParseResult> {
  const errors = new Map<ScriptKind, ScriptError>();
  for (const kind of kinds) {
    const error = await checkSyntax(isolate, { kind, source, modules });
    if (!error) return { program: toProgram(kind, source) };
    errors.set(kind, error);
  }
  for (const kind of kinds) {
    const { stripped, error } = stripTypes(kind, source);
    // The engine fails at the first type. If both fail, its message is better.
    if (error && isLater(error, errors.get(kind))) errors.set(kind, error);
    if (stripped === undefined || stripped === source) continue;
    const syntax = await checkSyntax(isolate, { kind, source: stripped, modules });
    if (!syntax) return { program: toProgram(kind, stripped) };
    errors.set(kind, syntax);
  }
  const likely = /^\s*export\b/m.test(source) ? "artifact" : "body";
  return { error: errors.get(likely) ?? syntaxError("The script can't be parsed.") };
}

function toProgram(kind: ScriptKind, source: string): ScriptProgram {
  return { kind, code: wrapSource(kind, source), isModule: kind === "artifact" };
}

function isLater(one: ScriptError, other: ScriptError | undefined): boolean {
  if (!other || one.line !== other.line) return (one.line ?? 0) > (other?.line ?? 0);
  return (one.column ?? 0) > (other.column ?? 0);
}

const BODY_START = '(async (input, context) => { "use strict";\n';

function wrapSource(kind: ScriptKind, source: string): string {
  return kind === "body" ? `${BODY_START}${source}\n})` : source;
}

/** The origin that makes line numbers match the author's source. */
export function originOf(kind: ScriptKind): ivm.ScriptInfo {
  return { filename: SCRIPT, lineOffset: kind === "body" ? -1 : 0 };
}

/** The syntax error of a source as JavaScript. Undefined if it is valid. */
async function checkSyntax(
  isolate: ivm.Isolate,
  {
    kind,
    source,
    modules,
  }: { readonly kind: ScriptKind; readonly source: string; readonly modules: ScriptModules },
): Promise<ScriptError | undefined> {
  try {
    if (kind === "artifact") {
      return await checkModuleSyntax(isolate, { code: source, source, kind, modules });
    }
    (await isolate.compileScript(wrapSource(kind, source), originOf(kind))).release();
    // A text that closes the function early can be valid in one of these, but never in both.
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
  {
    code,
    source,
    kind,
    modules,
  }: {
    readonly code: string;
    readonly source: string;
    readonly kind: ScriptKind;
    readonly modules: ScriptModules;
  },
): Promise<ScriptError | undefined> {
  const module = await isolate.compileModule(code, originOf(kind));
  const foreign = module.dependencySpecifiers.find(
    (name) => !SDK_MODULES.includes(name) && !Object.hasOwn(modules, name),
  );
  module.release();
  if (foreign === undefined) return undefined;
  const before = linesOf(source.slice(0, Math.max(0, source.search(quotedPattern(foreign)))));
  const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  const message = foreign.startsWith("module:")
    ? `The module "${foreign}" does not exist.`
    : `A script can't import modules such as "${foreign}".`;
  return syntaxErrorAt(message, position);
}

function quotedPattern(specifier: string): RegExp {
  return new RegExp(`["']${RegExp.escape(specifier)}["']`);
}
