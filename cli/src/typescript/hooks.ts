/**
 * How the files of a project are found and read. They import the client that the command line itself has, so that a
 * folder needs no packages of its own; and where Node runs no TypeScript, the types are taken out, as newer ones do it.
 */
import { readFileSync } from "node:fs";
import type { LoadHookContext, ModuleFormat, ResolveHookContext } from "node:module";
import { fileURLToPath } from "node:url";

const CLIENT = /^@millrace\/client(?:\/|$)/;
/** What Node itself has inside, from 22.18 on. */
const STRIPPER: string = "@swc/wasm-typescript";

interface Stripper {
  readonly transformSync?: (
    source: string,
    options: { readonly mode: "strip-only"; readonly module: true },
  ) => { readonly code: string };
}

const { transformSync }: Stripper = process.features.typescript
  ? {}
  : ((await import(STRIPPER)) as Stripper);

/** Works for threads of hooks, which await it, and in place. */
export function resolve<Result>(
  specifier: string,
  context: ResolveHookContext,
  next: (specifier: string, context: ResolveHookContext) => Result,
): Result {
  const isClient = CLIENT.test(specifier);
  return next(specifier, isClient ? { ...context, parentURL: import.meta.url } : context);
}

/** The source of a module without its types. */
export function load<Result>(
  url: string,
  context: LoadHookContext,
  next: (url: string, context: LoadHookContext) => Result,
): Result | { format: ModuleFormat; source: string; shortCircuit: true } {
  if (!transformSync || !url.startsWith("file:") || !/\.ts(?:\?|$)/.test(url)) {
    return next(url, context);
  }
  const text = readFileSync(fileURLToPath(url.replace(/\?.*$/, "")), "utf8");
  const { code } = transformSync(text, { mode: "strip-only", module: true });
  return { format: "module", source: code, shortCircuit: true };
}
