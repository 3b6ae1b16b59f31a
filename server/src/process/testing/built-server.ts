import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { errnoOf } from "#kernel/embedded/processes.ts";
import { hashSources, SERVER_BUILD } from "../../../build-cache.mjs";

/** For a busy machine. */
const BUILD_LIMIT_MS = 120_000;
const BUILD_POLL_MS = 50;

/** The common settings of all products in a run. */
export const SETTINGS = {
  PORT: "0",
  MILLRACE_ADMIN_PASSWORD: "correct horse battery",
  MILLRACE_LOGIN_RATE_LIMIT: "0",
  MILLRACE_CONSOLE: "off",
};

const FIRST_START = join(import.meta.dirname, "first-start.ts");

let hash: string | undefined;
const hashedSources = (): string => (hash ??= hashSources(SERVER_BUILD).slice(0, 16));

/** Settings that share one bundle and compile cache between all products of a run. */
export function sharedBuild(): Record<string, string> {
  return {
    MILLRACE_BUNDLE: builtServer(),
    NODE_COMPILE_CACHE: join(inject("folder"), "compiled"),
  };
}

/** The folder of the server's bundle, built by the first start of the run. */
export function builtServer(): string {
  return join(startedFolder(), "cache", `${SERVER_BUILD.name}-${hashedSources()}`);
}

/**
 * A folder after a first start and a normal stop: a data folder, and next to it the cache with the bundle. The first
 * caller creates it, the others wait.
 */
export function startedFolder(): string {
  const folder = join(inject("folder"), `started-${hashedSources()}`);
  if (existsSync(folder)) return folder;
  if (isClaimed(`${folder}.claim`)) waitFor(folder);
  else {
    const draft = `${folder}.draft`;
    const env = { PATH: process.env["PATH"], ...SETTINGS };
    execFileSync(process.execPath, [FIRST_START, draft], { env });
    renameSync(draft, folder);
  }
  return folder;
}

/** True if another process has claimed it. Otherwise claims it. */
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
