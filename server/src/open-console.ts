import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "pino";
import {
  broughtFolder,
  cacheFolder,
  canBuild,
  CONSOLE_BUILD,
  findBuild,
  recallSources,
  removeOldBuilds,
  runBuild,
} from "../build-cache.mjs";
import type { Settings } from "#kernel/settings.ts";

/**
 * Finds the folder of the built console, and builds it after a change of its sources. A container image includes
 * `console/dist` instead of sources and build tool. Undefined if it is disabled, or can neither be found nor built:
 * then the server provides only the API.
 */
export async function openConsole(settings: Settings, log: Logger): Promise<string | undefined> {
  if (settings.role === "worker" || settings.consoleFolder === "off") return undefined;
  if (settings.consoleFolder !== undefined) return settings.consoleFolder;
  if (!existsSync(CONSOLE_BUILD.program)) return broughtFolder(CONSOLE_BUILD);
  const sources = recallSources(CONSOLE_BUILD, settings.dataDir);
  const found = findBuild(CONSOLE_BUILD, settings.dataDir, sources);
  if (found !== undefined) return found;
  if (!canBuild(CONSOLE_BUILD)) {
    log.warn(
      "the console is not built, and what builds it is not installed: only the API is served",
    );
    return undefined;
  }
  log.info("building the console");
  const failure = await buildConsole(
    cacheFolder(CONSOLE_BUILD, settings.dataDir, sources),
    sources,
  );
  const built = findBuild(CONSOLE_BUILD, settings.dataDir, sources);
  if (failure !== undefined) {
    log.error(
      { failure },
      `the console could not be built${built ? "" : ": only the API is served"}`,
    );
  }
  return built;
}

/**
 * Builds the console into the cache. Returns the reason of a failure. A full disk or a folder conflict must not
 * prevent the start.
 */
async function buildConsole(folder: string, sources: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    const failure = await runBuild(CONSOLE_BUILD, [folder, sources]);
    if (failure === undefined) removeOldBuilds(folder);
    return failure;
  } catch (error) {
    return String(error);
  }
}
