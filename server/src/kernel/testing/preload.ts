/**
 * Loads the product into a worker before vitest's hooks for modules are there: those see every import of every file and
 * tell the first process of it, which takes longer than to load the files.
 */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

const SOURCES = new URL("../../", import.meta.url);

// A thread inherits the flag that names this file and needs nothing of it, and so would a process that a test forks.
if (isMainThread) {
  const named = process.execArgv.indexOf(import.meta.filename);
  process.execArgv.splice(named - 1, 2);
  // Our files are where they are said to be: for each import Node looks for the file, its true path and its package,
  // which was a third of the time.
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
