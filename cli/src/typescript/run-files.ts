/**
 * Runs the TypeScript files of a project. That is the code of whoever wrote them, with the rights of whoever runs it.
 */
import { fork } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../usage.ts";

/** What a file exports as default, or why it can't be told. */
export interface Evaluated {
  readonly path: string;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * What each file exports, in a process of its own: nothing of an earlier version is left, and nothing of ours is
 * touched.
 */
export async function runFiles(paths: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  if (paths.length === 0) return values;
  const name = import.meta.url.endsWith(".ts") ? "./evaluate.ts" : "./evaluate.js";
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = fork(
    program,
    paths.map((path) => resolve(path)),
    // What a file prints is for people, and no part of the output of a command.
    { stdio: ["ignore", 2, 2, "ipc"], execArgv: ["--no-warnings"] },
  );
  const faults: string[] = [];
  child.on("message", ({ path, value, error }: Evaluated) => {
    const own = paths.find((one) => resolve(one) === path) ?? path;
    if (error === undefined) values.set(own, value);
    else faults.push(`${own}: ${error}`);
  });
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("exit", done);
  });
  if (faults.length > 0) throw new CommandError(faults.join("\n"));
  const left = paths.find((path) => !values.has(path));
  if (left !== undefined) throw new CommandError(`${left}: it ended the process (${code}).`);
  return values;
}
