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
import { strip } from "./strip-types.ts";

/** What may be imported: what it has is there anyway, but an editor likes to know where from. */
export const SDK = ["@millrace/client", "@millrace/client/artifact"];

/** A script as the engine can run it. */
export interface Plan {
  readonly kind: ScriptKind;
  /** A module, or an expression that is a function. */
  readonly code: string;
}

export type Planned =
  | { readonly plan: Plan; readonly error?: undefined }
  | { readonly error: ScriptError; readonly plan?: undefined };

/**
 * Finds out what a source is. Nothing that exports can be the body of a function, and little that returns
 * can be a module, so what parses decides; and what is JavaScript is taken as it stands, since a type
 * stripper reads `a<b>(c)` otherwise. Types leave blanks behind, so that all positions stay.
 */
export async function planOf(isolate: ivm.Isolate, source: string): Promise<Planned> {
  const kinds = /\bexport\b/.test(source) ? (["body", "artifact"] as const) : (["body"] as const);
  const flaws = new Map<ScriptKind, ScriptError>();
  for (const kind of kinds) {
    const flaw = await flawOf(isolate, kind, source);
    if (!flaw) return { plan: { kind, code: codeOf(kind, source) } };
    flaws.set(kind, flaw);
  }
  for (const kind of kinds) {
    const { stripped, error } = strip(kind, source);
    // The engine stumbles over the first type; where both stumble, it says it better.
    if (error && isLater(error, flaws.get(kind))) flaws.set(kind, error);
    if (stripped === undefined || stripped === source) continue;
    const flaw = await flawOf(isolate, kind, stripped);
    if (!flaw) return { plan: { kind, code: codeOf(kind, stripped) } };
    flaws.set(kind, flaw);
  }
  const likely = /^\s*export\b/m.test(source) ? "artifact" : "body";
  return { error: flaws.get(likely) ?? syntaxError("The script can't be read.") };
}

function isLater(one: ScriptError, other: ScriptError | undefined): boolean {
  if (!other || one.line !== other.line) return (one.line ?? 0) > (other?.line ?? 0);
  return (one.column ?? 0) > (other.column ?? 0);
}

const BODY_START = '(async (input, context) => { "use strict";\n';

function codeOf(kind: ScriptKind, source: string): string {
  return kind === "body" ? `${BODY_START}${source}\n})` : source;
}

/** The origin that keeps the author's lines. */
export function originOf(kind: ScriptKind): ivm.ScriptInfo {
  return { filename: SCRIPT, lineOffset: kind === "body" ? -1 : 0 };
}

/** What is wrong with it, as JavaScript. */
async function flawOf(
  isolate: ivm.Isolate,
  kind: ScriptKind,
  source: string,
): Promise<ScriptError | undefined> {
  try {
    if (kind === "artifact") return await flawOfModule(isolate, source);
    (await isolate.compileScript(codeOf(kind, source), originOf(kind))).release();
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

async function flawOfModule(
  isolate: ivm.Isolate,
  source: string,
): Promise<ScriptError | undefined> {
  const module = await isolate.compileModule(source, originOf("artifact"));
  const foreign = module.dependencySpecifiers.find((name) => !SDK.includes(name));
  module.release();
  if (foreign === undefined) return undefined;
  const before = linesOf(source.slice(0, Math.max(0, source.search(quoted(foreign)))));
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return syntaxErrorAt(`A script can't import modules such as "${foreign}".`, place);
}

function quoted(specifier: string): RegExp {
  return new RegExp(`["']${RegExp.escape(specifier)}["']`);
}
