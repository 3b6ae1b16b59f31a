/**
 * The file `owner` in the data folder prevents a second server. It must work for two simultaneous starts and
 * free itself when its process is killed, which a plain file does not. So:
 *
 * - The file appears with its content in one step (a hard link to a finished file), never empty.
 * - A dead owner is replaced by exactly one successor: the process that creates `owner.after-<that owner>`, by
 *   the same rule. The successor then checks again that `owner` names the dead process and renames its own file
 *   over it. No other process can have done so in between, because the rename also releases `owner.after-…`.
 * - A successor that is killed during the take-over is a dead owner of `owner.after-…` and is replaced in the
 *   same way.
 *
 * The proof depends on one fact: a dead process identity never runs again (see processIdentity). Processes of
 * another container appear dead, so two containers must not share a data folder.
 */
import { createHash, randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { errnoOf, processIdentity } from "./processes.ts";

/** The data folder belongs to a running process. The message is for operators. */
export class FolderInUse extends StartupError {
  override readonly name = "FolderInUse";
  readonly folder: string;
  readonly pid: number;

  constructor(file: string, pid: number) {
    const folder = dirname(file);
    const who = pid === process.pid ? "this process" : "another server";
    super(
      `The data folder ${folder} is in use by process ${pid} (${who}). ` +
        `Stop it first, or choose another folder. (If process ${pid} is not Millrace, delete ${join(folder, "owner")}.)`,
    );
    this.folder = folder;
    this.pid = pid;
  }
}

/** Makes this process the owner of the folder, or throws FolderInUse. The result releases the folder. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const me = processIdentity(process.pid) ?? `${process.pid} -`;
  const file = join(folder, "owner");
  await claim(file, me);
  return async () => {
    if ((await readLockFile(file)) === me) await rm(file, { force: true });
  };
}

async function claim(file: string, me: string): Promise<void> {
  // Each turn ends or has seen progress of another process, so the loop terminates.
  for (;;) {
    if (await createWhole(file, me)) return;
    const holder = await readLockFile(file);
    if (holder === undefined) continue;
    const pid = Number.parseInt(holder, 10);
    if (pid > 0 && processIdentity(pid) === holder) throw new FolderInUse(file, pid);

    const succession = join(dirname(file), `owner.after-${shortHash(holder)}`);
    await claim(succession, me);
    if ((await readLockFile(file)) === holder) {
      await rename(succession, file);
      return;
    }
    await rm(succession, { force: true });
  }
}

/** Creates the file with its content in one step. Returns false if it exists. */
async function createWhole(file: string, content: string): Promise<boolean> {
  const draft = join(dirname(file), `owner.draft-${randomUUID()}`);
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readLockFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
