import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "../account.ts";
import { syncFolder } from "../cluster.ts";
import type { BackupEntry } from "./backup-entry.ts";

const SYNCS_AT_ONCE = 32;

/** Writes a new file that only its owner can read. It becomes durable with `syncTree` on its folder. */
export async function writeEntry(
  file: string,
  { content }: Pick<BackupEntry, "content">,
  account?: Account,
): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    for await (const chunk of content) await handle.writeFile(chunk);
    if (account !== undefined) await handle.chown(account.uid, account.gid);
  } finally {
    await handle.close();
  }
}

/** Waits until a folder and its content are durable. In parallel, because a sequential run takes ten times as long. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const syncNext = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncFile(path);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncNext));
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
