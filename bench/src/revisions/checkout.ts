import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import {
  lstat,
  mkdir,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startFlagsOf } from "../rig.ts";

const run = promisify(execFile);
const REPOSITORY = resolve(import.meta.dirname, "../../..");
/**
 * The folder of checkouts kept for later comparisons, because building one takes most of the time of a short
 * comparison. Each repository has a separate folder, because checkouts use its packages. It cannot be below
 * `node_modules`, where Node runs no TypeScript.
 */
const KEPT = join(tmpdir(), `millrace-revisions-${userInfo().uid}-${shortHash(REPOSITORY)}`);
const KEPT_MAX = 6;
const STAMP = ".built";
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** A revision in a separate checkout with a production build. */
export interface Checkout {
  readonly commit: string;
  readonly subject: string;
  readonly folder: string;
  readonly bundle: string;
  readonly console: string;
  /** The flags that its `npm start` passes to Node. */
  readonly startFlags: readonly string[];
}

/** Extracts a revision from Git, installs the packages of its lock file, and builds it. */
export async function checkOut(revision: string): Promise<Checkout> {
  const log = await git("log", "-1", "--format=%H%n%s", "--end-of-options", revision);
  const [hash = "", subject = ""] = log.split("\n");
  const commit = hash.slice(0, 10);
  await makePrivate(KEPT);
  const folder = join(KEPT, commit);
  if (!existsSync(join(folder, STAMP))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await extract(hash, folder);
    await installPackages(folder);
    await build(folder);
    await writeFile(join(folder, STAMP), "");
  }
  await utimes(folder, new Date(), new Date());
  return {
    commit,
    subject,
    folder,
    bundle: join(folder, "server/dist"),
    console: join(folder, "console/dist"),
    startFlags: startFlagsOf(folder),
  };
}

/** Removes the least recently used checkouts. */
export async function removeOldCheckouts(): Promise<void> {
  const names = await readdir(KEPT);
  const trees = await Promise.all(
    names.map(async (name) => {
      const path = join(KEPT, name);
      return { path, usedAt: (await stat(path)).mtimeMs };
    }),
  );
  trees.sort((a, b) => b.usedAt - a.usedAt);
  for (const { path } of trees.slice(KEPT_MAX)) await rm(path, { recursive: true, force: true });
}

/** True if the working tree has uncommitted changes. */
export async function isChanged(): Promise<boolean> {
  return (await git("status", "--porcelain")) !== "";
}

/** The name can be guessed and the folder for temporary files is shared, so the owner of the code must be checked. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    const { uid, mode } = await lstat(folder).catch(() => Promise.reject(error));
    if (uid !== userInfo().uid || (mode & 0o22) !== 0) {
      throw new Error(`${folder} belongs to another user, or others can write to it.`);
    }
  });
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

async function git(...args: readonly string[]): Promise<string> {
  const options = { cwd: REPOSITORY, maxBuffer: OUTPUT_BYTES_MAX };
  return (await run("git", [...args], options)).stdout.trimEnd();
}

/** Uses an archive instead of `git worktree`, so that an interruption leaves no entries in the repository. */
async function extract(commit: string, folder: string): Promise<void> {
  const archive = spawn("git", ["archive", "--format=tar", commit], {
    cwd: REPOSITORY,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const tar = spawn("tar", ["-x", "-C", folder], { stdio: [archive.stdout, "ignore", "inherit"] });
  const [[archived], [extracted]] = await Promise.all([once(archive, "exit"), once(tar, "exit")]);
  if (archived !== 0 || extracted !== 0) throw new Error(`${commit} could not be extracted.`);
}

/**
 * With an equal lock file, links to the repository's packages are enough; links between workspaces lead into the new
 * checkout.
 */
async function installPackages(folder: string): Promise<void> {
  const lock = (of: string): string => readFileSync(join(of, "package-lock.json"), "utf8");
  if (lock(folder) === lock(REPOSITORY)) {
    await linkEntries(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  } else {
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], {
      cwd: folder,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
  }
}

async function linkEntries(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === "@millrace") await linkEntries(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    // Tools keep caches there, which belong to one checkout.
    else if (entry.name !== ".cache") await symlink(source, target);
  }
}

/** The steps of the revision's `npm run build`. */
async function build(folder: string): Promise<void> {
  for (const args of [
    ["server/src/build-server.ts", "server/dist"],
    ["console/build.mjs", "console/dist"],
  ]) {
    await run(process.execPath, args, { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX });
  }
}
