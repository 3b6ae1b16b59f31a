import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { hashSources, SERVER_BUILD } from "../../../build-cache.mjs";

let folder: string | undefined;

/** The settings by which all products of a run share one bundle, and what was compiled. */
export function sharedBuild(): Record<string, string> {
  return {
    MILLRACE_BUNDLE: builtServer(),
    NODE_COMPILE_CACHE: join(inject("folder"), "compiled"),
  };
}

/** The folder of the server's bundle, which whoever comes first builds. */
export function builtServer(): string {
  folder ??= join(inject("folder"), `server-${hashSources(SERVER_BUILD).slice(0, 16)}`);
  if (!existsSync(folder)) execFileSync(process.execPath, [SERVER_BUILD.program, folder]);
  return folder;
}
