/**
 * Resolves and loads the files of a project. They import the CLI's client, so a project needs no packages. If Node
 * does not support TypeScript, the types are stripped as in newer versions.
 */
import { readFileSync } from "node:fs";
import type { LoadHookContext, ModuleFormat, ResolveHookContext } from "node:module";
import { fileURLToPath } from "node:url";

const CLIENT = /^@millrace\/client(?:\/|$)/;
/** The library inside Node 22.18 and newer. */
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

/** Works in a hook thread, which awaits it, and synchronously. */
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
