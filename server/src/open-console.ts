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
 * Finds the folder of the built console, and builds it after a change of its sources. An image brings `console/dist`
 * along instead of sources and build tool. Undefined where it is switched off, or can neither be found nor built: the
 * server is an API then.
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
 * Builds the console into the cache; the reason when something went wrong. A full disk or a folder in the way is no
 * reason not to start.
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
