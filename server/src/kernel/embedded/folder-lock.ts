/**
 * The file `owner` in the data folder keeps a second server away. It must hold against two starts at the same instant
 * and it must free itself when its process is killed, and a plain file gives neither. So:
 *
 * - The file appears with its content in one step (a hard link to a finished file), never empty.
 * - A dead owner is replaced by exactly one successor: whoever creates `owner.after-<that owner>`, by the same rule.
 *   Having it, the successor looks again whether the dead one is still named, and then renames its own file over
 *   `owner`. Nobody else can have done so in between, because the rename is also what gives up `owner.after-…`.
 * - A successor that is killed half way is itself a dead owner of `owner.after-…`, and is replaced the same way.
 *
 * The argument rests on one fact: an identity that is dead never lives again (see identityOf). Processes of another
 * container look dead from here, so two containers must not share one data folder.
 */
import { createHash, randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { errnoOf, processIdentity } from "./processes.ts";

/** The data folder belongs to a process that is alive. The message is meant for the operator. */
export class FolderInUse extends StartupError {
  override readonly name = "FolderInUse";
  readonly folder: string;
  readonly pid: number;

  constructor(file: string, pid: number) {
    const folder = dirname(file);
    const who = pid === process.pid ? "this very process" : "another server";
    super(
      `The data folder ${folder} is in use by process ${pid} (${who}). ` +
        `Stop it first, or choose another folder. (If process ${pid} is not Millrace, delete ${join(folder, "owner")}.)`,
    );
    this.folder = folder;
    this.pid = pid;
  }
}

/** Makes this process the owner of the folder, or throws FolderInUse. The result gives the folder up again. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const me = processIdentity(process.pid) ?? `${process.pid} -`;
  const file = join(folder, "owner");
  await claim(file, me);
  return async () => {
    if ((await readLockFile(file)) === me) await rm(file, { force: true });
  };
}

async function claim(file: string, me: string): Promise<void> {
  // Each turn either ends or has seen another process make progress, so this comes to an end.
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

/** Creates the file with its content in one step; false when it exists. */
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
