import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A new content for the key file, safely on disk beside it but not yet in its place. */
export interface StagedKey {
  /** Puts it in place in one step: there is never half a key. */
  put(): Promise<void>;
  discard(): Promise<void>;
}

/** Written before the database changes, so that the new key can't be lost after it has. */
export async function stageKey(path: string, key: Buffer): Promise<StagedKey> {
  // The file may be a link to where an operator keeps it.
  const file = await realpath(path);
  const draft = `${file}.next`;
  await rm(draft, { force: true });
  const { uid, gid } = await stat(file);
  await using handle = await open(draft, "wx", 0o600);
  await handle.writeFile(key.toString("base64"));
  // The server may run under another account than whoever changes its key.
  await handle.chown(uid, gid);
  await handle.sync();
  return {
    async put() {
      await rename(draft, file);
      await using folder = await open(dirname(file), "r");
      await folder.sync();
    },
    discard: () => rm(draft, { force: true }),
  };
}
