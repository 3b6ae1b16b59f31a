/**
 * Loads the product into a worker before vitest installs its module hooks, which report every import of every file to
 * the main process and take longer than loading the files.
 */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

const SOURCES = new URL("../../", import.meta.url);

// A thread inherits the flag that names this file and does not need it. Processes forked by a test would inherit it
// too.
if (isMainThread) {
  const named = process.execArgv.indexOf(import.meta.filename);
  process.execArgv.splice(named - 1, 2);
  // Import paths are exact. For each import, Node would search for the file, its real path and its package, which took
  // a third of the time.
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isOurs = /^[.#].*\.ts$/.test(specifier);
      if (!isOurs) return next(specifier, context);
      const url = specifier.startsWith("#")
        ? new URL(specifier.slice(1), SOURCES)
        : new URL(specifier, context.parentURL);
      return { url: url.href, format: "module-typescript", shortCircuit: true };
    },
  });
  await Promise.all([import("../../app.ts"), import("../http/server.ts"), import("../kernel.ts")]);
  hooks.deregister();
}
