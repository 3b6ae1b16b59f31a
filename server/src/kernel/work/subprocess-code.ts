/**
 * The code of our processes, and what of it they may read. It lies among the sources or, for the command line that has
 * none, in the folder of its bundle (`offline/build.ts`).
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the bundle without sources; undefined for the server, whose bundle names its sources. */
export const BUNDLE_FOLDER = import.meta.url.endsWith(".ts")
  ? undefined
  : dirname(fileURLToPath(import.meta.url));

/** The path of a program: its source, or its name in the bundle. */
export function programFile(source: URL, bundled: string): string {
  return BUNDLE_FOLDER === undefined ? fileURLToPath(source) : join(BUNDLE_FOLDER, bundled);
}

/** Node's permission model, by the name that it has in this version. */
export const PERMISSION_FLAG = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

const SERVER = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The arguments by which a process may read our code and its libraries, and nothing else: neither the data
 * folder nor the master key is among them.
 */
export function readOnlyCodeArguments(): readonly string[] {
  if (BUNDLE_FOLDER !== undefined) return [`--allow-fs-read=${join(BUNDLE_FOLDER, "/")}`];
  const own = [join(SERVER, "src/"), join(SERVER, "package.json")];
  const paths = [...own, ...libraryFolders(SERVER)].flatMap((path) => [path, realpathSync(path)]);
  return [...new Set(paths)].map((path) => `--allow-fs-read=${path}`);
}

/** Every folder of libraries that a module of ours is looked up in. */
function libraryFolders(folder: string): readonly string[] {
  const own = join(folder, "node_modules");
  const parent = dirname(folder);
  return [...(existsSync(own) ? [own] : []), ...(parent === folder ? [] : libraryFolders(parent))];
}
