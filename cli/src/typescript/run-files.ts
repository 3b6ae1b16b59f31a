/** Runs the TypeScript files of a project. Their code has the permissions of the user who runs the command. */
import { fork } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../usage.ts";

/** The default export of a file, or an error. */
export interface Evaluated {
  readonly path: string;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * The default exports of files, evaluated in a separate process, so that no earlier version is cached and the CLI is
 * not affected.
 */
export async function runFiles(paths: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  if (paths.length === 0) return values;
  const name = import.meta.url.endsWith(".ts") ? "./evaluate.ts" : "./evaluate.js";
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = fork(
    program,
    paths.map((path) => resolve(path)),
    // Printed output of files is for people and not part of the command's output.
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
  if (left !== undefined) throw new CommandError(`${left}: the file ended the process (${code}).`);
  return values;
}
