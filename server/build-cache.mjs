/**
 * Builds of the server and the console, stored under `cache` in the data folder and named by the hash of their
 * sources, so that a build is only used for its own sources. A build is moved into place by one rename: concurrent or
 * interrupted builds leave either a complete build or none.
 *
 * Plain JavaScript, because every start loads it first, and loading the type stripper takes longer than this file.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
const STAMP = ".sources";
/** Two, because processes of the previous version may still run and load parts of theirs. */
const BUILDS_KEPT = 2;
const DRAFT_LIFETIME_MS = 3_600_000;
const BUILD_TIMEOUT_MS = 120_000;
const FAILURE_CHARACTERS_MAX = 2_000;
const TICK_MS_MAX = 2_000;

/**
 * @typedef {object} Build
 * @property {string} name
 * @property {readonly string[]} sources - All that the build is made of.
 * @property {string} program - Builds into the folder that is its first argument.
 * @property {string} tool - The package that the program needs.
 */

/** @type {Build} */
export const SERVER_BUILD = {
  name: "server",
  sources: ["server/src", "server/build-cache.mjs", "server/package.json", "package-lock.json"],
  program: join(REPOSITORY, "server/src/build-server.ts"),
  tool: "rolldown",
};

/** @type {Build} */
export const CONSOLE_BUILD = {
  name: "console",
  sources: [
    "console/src",
    "console/public",
    "console/index.html",
    "console/vite.config.ts",
    "console/portal.vite.config.ts",
    "console/build.mjs",
    "client/src",
    "package-lock.json",
  ],
  program: join(REPOSITORY, "console/build.mjs"),
  tool: "vite",
};

/**
 * The hash of all source contents. Timestamps are not used, because images and archives set equal times. Bundles
 * contain absolute paths, so the location is included.
 *
 * @param {Build} build
 * @returns {string}
 */
export function hashSources({ sources }) {
  const hash = createHash("sha256").update(REPOSITORY);
  for (const path of sources.flatMap((source) => listFiles(resolve(REPOSITORY, source)))) {
    hash.update("\0").update(path).update("\0").update(readFileSync(path));
  }
  return hash.digest("hex");
}

/**
 * The cached hash of the sources, unless a file has changed since: reading all of them took a tenth of the start time.
 * Uses the change time of files, which, unlike the modification time, archives and images cannot set.
 *
 * @param {Build} build
 * @param {string} dataDir
 * @returns {string}
 */
export function recallSources(build, dataDir) {
  const path = join(dataDir, "cache", `${build.name}.sources`);
  // Read before the contents, so that concurrent changes are detected next time.
  const { state, touchedAt } = describeSources(build);
  const [knownState, known] = readNote(path);
  if (known !== undefined && knownState === state) return known;
  const sources = hashSources(build);
  // File system times have limited resolution, so a second write in the same tick would not be detected.
  if (touchedAt < Date.now() - TICK_MS_MAX) noteSources(path, `${state}\n${sources}`);
  return sources;
}

/**
 * The files and their change times.
 *
 * @param {Build} build
 */
function describeSources({ sources }) {
  const hash = createHash("sha256").update(REPOSITORY);
  let touchedAt = 0;
  for (const path of sources.flatMap((source) => listFiles(resolve(REPOSITORY, source)))) {
    const { ino, size, ctimeNs, ctimeMs } = statSync(path, { bigint: true });
    hash.update(`\0${path}\0${ino} ${size} ${ctimeNs}`);
    touchedAt = Math.max(touchedAt, Number(ctimeMs));
  }
  return { state: hash.digest("hex"), touchedAt };
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function readNote(path) {
  try {
    return isOwn(path) ? readFileSync(path, "utf8").split("\n") : [];
  } catch {
    return [];
  }
}

/**
 * @param {string} path
 * @param {string} text
 */
function noteSources(path, text) {
  const draft = draftFolder(path);
  try {
    writeFileSync(draft, text, { mode: 0o644 });
    renameSync(draft, path);
  } catch {
    // Before the first build there is no cache, and a foreign one is not writable: the next start reads all sources
    // again.
  }
}

/**
 * The build of these sources: included with them, as in an image, or in the cache.
 *
 * @param {Build} build
 * @param {string} dataDir
 * @param {string} sources
 * @returns {string | undefined}
 */
export function findBuild(build, dataDir, sources) {
  const brought = broughtFolder(build);
  if (readStamp(brought) === sources) return brought;
  const kept = cacheFolder(build, dataDir, sources);
  if (readStamp(kept) !== sources || !isOurs(kept)) return undefined;
  renewBuild(kept);
  return kept;
}

/**
 * The folder of a build included in an image.
 *
 * @param {Build} build
 * @returns {string}
 */
export function broughtFolder({ name }) {
  return join(REPOSITORY, name, "dist");
}

/**
 * The cache folder of a build of these sources.
 *
 * @param {Build} build
 * @param {string} dataDir
 * @param {string} sources
 * @returns {string}
 */
export function cacheFolder({ name }, dataDir, sources) {
  return join(dataDir, "cache", `${name}-${sources.slice(0, 16)}`);
}

/**
 * True if the sources and the build tool are installed.
 *
 * @param {Build} build
 * @returns {boolean}
 */
export function canBuild({ program, tool }) {
  try {
    createRequire(program).resolve(tool);
    return existsSync(program);
  } catch {
    return false;
  }
}

/**
 * Builds in a separate process, so that the build tool does not stay in memory. Resolves to the reason of a failure.
 *
 * @param {Build} build
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | undefined>}
 */
export function runBuild({ program }, args, env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...env, PATH: process.env["PATH"], NODE_ENV: "production", NO_COLOR: "1" },
    timeout: BUILD_TIMEOUT_MS,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(0, FAILURE_CHARACTERS_MAX);
  });
  return new Promise((settle) => {
    child.once("error", (error) => settle(error.message));
    child.once("close", (code, signal) => {
      settle(code === 0 ? undefined : said.trim() || `it ended with ${code ?? signal}`);
    });
  });
}

/**
 * A draft folder of this process, next to the build's folder.
 *
 * @param {string} folder
 * @returns {string}
 */
export function draftFolder(folder) {
  return `${folder}.${process.pid}`;
}

/**
 * Makes a finished draft the build of these sources. Its content is durable before it gets its name.
 *
 * @param {Build} build
 * @param {string} draft
 * @param {string} folder
 * @param {string} sources
 */
export function storeBuild(build, draft, folder, sources) {
  if (hashSources(build) !== sources) throw new Error("The sources changed during the build.");
  writeFileSync(join(draft, STAMP), sources);
  for (const file of listFiles(draft)) syncFile(file);
  // Independent of the umask, because the build is executed.
  for (const path of listEntries(draft)) chmodSync(path, lstatSync(path).mode & 0o7755);
  chmodSync(draft, 0o755);
  // Another process may have stored the build first.
  if (readStamp(folder) === sources && isOurs(folder)) {
    return rmSync(draft, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/**
 * Removes unused builds except the last used ones, and abandoned drafts.
 *
 * @param {string} folder
 */
export function removeOldBuilds(folder) {
  const [name] = basename(folder).split("-");
  const others = readdirSync(dirname(folder))
    .filter((entry) => entry.startsWith(`${name}-`) && entry !== basename(folder))
    .map((entry) => join(dirname(folder), entry))
    .map((path) => ({ path, usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.usedAt - a.usedAt);
  const isDraft = ({ path = "" }) => basename(path).includes(".");
  const drafts = others.filter(isDraft);
  const builds = others.filter((other) => !isDraft(other));
  const old = [
    ...drafts.filter(({ usedAt }) => usedAt < Date.now() - DRAFT_LIFETIME_MS),
    ...builds.slice(BUILDS_KEPT - 1),
  ];
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
}

/**
 * True if a folder is a complete build.
 *
 * @param {string} folder
 * @returns {boolean}
 */
export function isBuild(folder) {
  return readStamp(folder) !== undefined;
}

/** @param {string} folder */
function readStamp(folder) {
  const path = join(folder, STAMP);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/**
 * True if only this user and root can write to it, because the build is executed.
 *
 * @param {string} folder
 */
function isOurs(folder) {
  // Another process may remove its temporary files; then they are not executed.
  return [folder, ...listEntries(folder)].every((path) => isOwn(path) ?? true);
}

/**
 * True if only this user and root can write to it. Undefined if it does not exist.
 *
 * @param {string} path
 */
function isOwn(path) {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return (
    entry && (entry.uid === 0 || entry.uid === process.getuid?.()) && (entry.mode & 0o022) === 0
  );
}

/**
 * Everything below a folder.
 *
 * @param {string} folder
 */
function listEntries(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
}

/** @param {string} folder */
function renewBuild(folder) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // Without permission to touch it, it is only removed earlier.
  }
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(below);
      return entry.name.endsWith(".test.ts") ? [] : [below];
    });
}

/** @param {string} path */
function syncFile(path) {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
