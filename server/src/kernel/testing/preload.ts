/**
 * Loads the product into a worker before vitest's hooks for modules are there: those see every import of every file and
 * tell the first process of it, which takes longer than to load the files.
 */
import { isMainThread } from "node:worker_threads";

// A thread inherits the flag that names this file and needs nothing of it, and so would a process that a test forks.
if (isMainThread) {
  const named = process.execArgv.indexOf(import.meta.filename);
  process.execArgv.splice(named - 1, 2);
  await Promise.all([import("../../app.ts"), import("../http/server.ts"), import("../kernel.ts")]);
}
