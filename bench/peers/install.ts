import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stage } from "./stage.ts";

/** The packages of a peer in exact versions. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  /** Replacement versions of its dependencies. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/**
 * The folder in which these packages are installed, outside the repository, so that our lockfile is not affected.
 * Installations are reused. Package scripts do not run.
 */
export async function install(stage: Stage, pin: Pin): Promise<string> {
  const { name, version, overrides = {} } = pin;
  const root = process.env["MILLRACE_PEERS_DIR"] ?? join(tmpdir(), "millrace-peers");
  const folder = join(root, `${name}-${version}`);
  const done = join(folder, "installed");
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version }, overrides });
  if ((await readFile(done, "utf8").catch(() => "")) === manifest) return folder;
  process.stderr.write(`${name} ${version} is being installed in ${folder} …\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), manifest);
  await stage.run({
    file: "npm",
    args: ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    cwd: folder,
    env: environment(),
  });
  // Only a complete installation is marked as done.
  await writeFile(`${done}.new`, manifest);
  await rename(`${done}.new`, done);
  return folder;
}

/** npm must find its settings, but not those of the npm that runs this program. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        (!entry[0].startsWith("npm_") || entry[0].startsWith("npm_config_registry")),
    ),
  );
}
