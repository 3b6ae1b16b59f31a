/**
 * The code of our processes, and what of it they may read. It lies in the bundle that the server was started from, or
 * else among the sources; for the command line, which has none, in the folder of its own (`offline/build.ts`).
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the bundle without sources; undefined for the server, whose bundle names its sources. */
export const BUNDLE_FOLDER = import.meta.url.endsWith(".ts")
  ? undefined
  : dirname(fileURLToPath(import.meta.url));

/**
 * The path of a program: by its name in the bundle, from which it starts in half of the time or less, or else its
 * source.
 */
export function programFile(source: URL, bundled: string): string {
  if (BUNDLE_FOLDER !== undefined) return join(BUNDLE_FOLDER, bundled);
  // `bundle.mjs` sets it where the server runs from one.
  const built = join(process.env["MILLRACE_BUNDLE"] ?? "", bundled);
  return isAbsolute(built) && existsSync(built) ? built : fileURLToPath(source);
}

/** Node's permission model, by the name that it has in this version. */
export const PERMISSION_FLAG = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

const SERVER = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The arguments by which a process may read its program, our code and its libraries, and nothing else: neither the data
 * folder nor the master key is among them.
 */
export function readOnlyCodeArguments(program: string): readonly string[] {
  return [PERMISSION_FLAG, ...[program, ...codePaths()].map((path) => `--allow-fs-read=${path}`)];
}

function codePaths(): readonly string[] {
  if (BUNDLE_FOLDER !== undefined) return [join(BUNDLE_FOLDER, "/")];
  const own = [join(SERVER, "src/"), join(SERVER, "package.json")];
  const paths = [...own, ...libraryFolders(SERVER)].flatMap((path) => [path, realpathSync(path)]);
  return [...new Set(paths)];
}

/** Every folder of libraries that a module of ours is looked up in. */
function libraryFolders(folder: string): readonly string[] {
  const own = join(folder, "node_modules");
  const parent = dirname(folder);
  return [...(existsSync(own) ? [own] : []), ...(parent === folder ? [] : libraryFolders(parent))];
}
