/** A process that imports files and sends their default exports. */
import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import type { Evaluated } from "./run-files.ts";

const hooks = new URL(
  import.meta.url.endsWith(".ts") ? "./hooks.ts" : "./hooks.js",
  import.meta.url,
);
// Newer versions call hooks in the same thread, older ones in a separate thread.
if ("registerHooks" in nodeModule) nodeModule.registerHooks(await import(hooks.href));
else (nodeModule as { register: (url: URL) => void }).register(hooks);

for (const path of process.argv.slice(2)) process.send?.(await evaluate(path));
process.disconnect?.();

async function evaluate(path: string): Promise<Evaluated> {
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    const value = (module as { readonly default?: unknown }).default;
    if (value === undefined) return { path, error: "The file has no default export." };
    return { path, value: JSON.parse(JSON.stringify(value)) as unknown };
  } catch (error) {
    return { path, error: error instanceof Error ? error.message : String(error) };
  }
}
