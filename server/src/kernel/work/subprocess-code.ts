/**
 * The code of subprocesses, and the files they may read. It is in the bundle from which the server was started, or in
 * the sources. The CLI has neither and uses a separate folder (`offline/build.ts`).
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of a bundle without sources. Undefined for the server, whose bundle references its sources. */
export const BUNDLE_FOLDER = import.meta.url.endsWith(".ts")
  ? undefined
  : dirname(fileURLToPath(import.meta.url));

/** Returns the program's path: in the bundle, which starts at least twice as fast, or in the source. */
export function programFile(source: URL, bundled: string): string {
  if (BUNDLE_FOLDER !== undefined) return join(BUNDLE_FOLDER, bundled);
  // Set by `bundle.mjs` if the server runs from a bundle.
  const built = join(process.env["MILLRACE_BUNDLE"] ?? "", bundled);
  return isAbsolute(built) && existsSync(built) ? built : fileURLToPath(source);
}

/** Node's permission flag in this version. */
export const PERMISSION_FLAG = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

const SERVER = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Arguments that allow a process to read its program, our code and libraries, and nothing else, in particular not the
 * data folder and the master key.
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

/** All library folders in which our modules are resolved. */
function libraryFolders(folder: string): readonly string[] {
  const own = join(folder, "node_modules");
  const parent = dirname(folder);
  return [...(existsSync(own) ? [own] : []), ...(parent === folder ? [] : libraryFolders(parent))];
}
