import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Logger } from "pino";
import type { Settings } from "#kernel/settings.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const CONSOLE = join(REPOSITORY, "console");
const SOURCES = [
  "console/src",
  "console/public",
  "console/index.html",
  "console/vite.config.ts",
  "client/src",
  "package-lock.json",
];
const STAMP = ".sources";

/**
 * Finds the folder of the built console, and builds it after a change of its sources. An image brings `console/dist`
 * along instead of sources and build tool. Undefined where it is switched off, or can neither be found nor built: the
 * server is an API then.
 */
export async function openConsole(settings: Settings, log: Logger): Promise<string | undefined> {
  if (settings.role === "worker" || settings.consoleFolder === "off") return undefined;
  if (settings.consoleFolder !== undefined) return settings.consoleFolder;
  const sources = hashSources();
  const brought = join(CONSOLE, "dist");
  if (readStamp(brought) === sources || !existsSync(join(CONSOLE, "src"))) return brought;
  const cache = join(settings.dataDir, "cache");
  const folder = join(cache, `console-${sources.slice(0, 16)}`);
  if (readStamp(folder) === sources) return folder;
  if (!canBuild()) {
    log.warn(
      "the console is not built, and what builds it is not installed: only the API is served",
    );
    return undefined;
  }
  await mkdir(cache, { recursive: true });
  log.info("building the console");
  const failure = await runBuild(folder, sources);
  if (failure === undefined) return folder;
  log.error({ failure }, "the console could not be built: only the API is served");
  return undefined;
}

function readStamp(folder: string): string | undefined {
  const path = join(folder, STAMP);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function hashSources(): string {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap((source) => listFiles(join(REPOSITORY, source)))) {
    hash.update(path.slice(REPOSITORY.length)).update("\0").update(readFileSync(path));
  }
  return hash.digest("hex");
}

function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith(".test.ts"))
    .toSorted();
}

function canBuild(): boolean {
  try {
    createRequire(join(CONSOLE, "build.mjs")).resolve("vite");
    return existsSync(join(CONSOLE, "build.mjs"));
  } catch {
    return false;
  }
}

/** Runs the build as a process of its own, so that nothing of the build tool stays in the server's memory. */
function runBuild(folder: string, sources: string): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(CONSOLE, "build.mjs"), folder, sources], {
    cwd: dirname(folder),
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], NODE_ENV: "production" },
  });
  const lines: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? undefined : lines.join("").slice(-2_000)));
  });
}
