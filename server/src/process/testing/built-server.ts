import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { errnoOf } from "#kernel/embedded/processes.ts";
import { hashSources, SERVER_BUILD } from "../../../build-cache.mjs";

/** For a busy machine. */
const BUILD_LIMIT_MS = 120_000;
const BUILD_POLL_MS = 50;

let folder: string | undefined;

/** The settings by which all products of a run share one bundle, and what was compiled. */
export function sharedBuild(): Record<string, string> {
  return {
    MILLRACE_BUNDLE: builtServer(),
    NODE_COMPILE_CACHE: join(inject("folder"), "compiled"),
  };
}

/** The folder of the server's bundle: whoever comes first builds it, the others wait. */
export function builtServer(): string {
  folder ??= join(inject("folder"), `server-${hashSources(SERVER_BUILD).slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  if (isClaimed(`${folder}.claim`)) waitFor(folder);
  else execFileSync(process.execPath, [SERVER_BUILD.program, folder]);
  return folder;
}

/** Whether somebody else has claimed it; otherwise it is claimed now. */
function isClaimed(claim: string): boolean {
  try {
    mkdirSync(claim);
    return false;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return true;
  }
}

function waitFor(path: string): void {
  const end = performance.now() + BUILD_LIMIT_MS;
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(path)) {
    if (performance.now() > end) throw new Error(`Nobody has built ${path}.`);
    Atomics.wait(never, 0, 0, BUILD_POLL_MS);
  }
}
