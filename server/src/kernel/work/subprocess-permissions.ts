import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The arguments by which a process may read our code and its libraries, and nothing else: neither the data
 * folder nor the master key is among them.
 */
export function readOnlyCodeArguments(): readonly string[] {
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
