// Plain JavaScript for the same reason as build-cache.mjs.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { canBuild, findBuild, recallSources, runBuild, SERVER_BUILD } from "./build-cache.mjs";

// Later starts execute the files built and compiled here, so other users must not be able to write to them.
const umask = process.umask(0o022);
process.umask(umask | 0o022);

/**
 * Runs the server from its bundle, which is built first if possible. A start with a bundle takes half of the time,
 * including the build.
 */
export async function runServer() {
  const isBuildable = bundleSetting() === undefined && canBuild(SERVER_BUILD);
  const folder = findBundle() ?? (isBuildable ? await buildBundle() : undefined);
  await runProgram(folder, "main");
}

/** Runs operator commands from the server's bundle if there is one, or from the sources. */
export async function runCommand() {
  await runProgram(findBundle(), "cli");
}

function bundleSetting() {
  return process.env["MILLRACE_BUNDLE"] || undefined;
}

/** @returns {string | undefined} */
function findBundle() {
  const setting = bundleSetting();
  if (setting !== undefined) return setting === "off" ? undefined : resolve(setting);
  const dataDir = resolve(process.env["MILLRACE_DATA_DIR"] || "data");
  return findBuild(SERVER_BUILD, dataDir, recallSources(SERVER_BUILD, dataDir));
}

async function buildBundle() {
  const failure = await runBuild(SERVER_BUILD, [], process.env);
  if (failure !== undefined) process.stderr.write(`Running from sources: ${failure}\n`);
  return findBundle();
}

/**
 * @param {string | undefined} folder
 * @param {"main" | "cli"} name
 */
async function runProgram(folder, name) {
  const sources = name === "main" ? "./src/main.ts" : "./src/cli/main.ts";
  if (folder === undefined) return import(sources);
  const program = join(folder, `${name}.mjs`);
  if (!existsSync(program)) {
    process.stderr.write(
      `MILLRACE_BUNDLE: off, or the folder of a built server. ${folder} is not one.\n`,
    );
    process.exit(1);
  }
  // Child programs run from the same bundle.
  process.env["MILLRACE_BUNDLE"] = folder;
  // Inside the bundle folder, to be removed with it.
  enableCompileCache(join(folder, "compiled"));
  return import(pathToFileURL(program).href);
}
