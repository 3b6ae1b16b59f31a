import { existsSync } from "node:fs";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { loadMasterKey, MasterKey, masterKeyFile } from "#kernel/access/crypto.ts";
import { rekey } from "#kernel/db/setup/rekey.ts";
import { readSettings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { withDatabase } from "./database.ts";

/** New content for the key file, durable next to it but not active. */
export interface StagedKey {
  /** Replaces the key file atomically. */
  put(): Promise<void>;
  discard(): Promise<void>;
}

/** Written before the database changes, so that the new key can't be lost afterwards. */
async function stageKey(path: string, key: Buffer): Promise<StagedKey> {
  // The file may be a link to the operator's location.
  const file = await realpath(path);
  const draft = `${file}.next`;
  await rm(draft, { force: true });
  const { uid, gid } = await stat(file);
  await using handle = await open(draft, "wx", 0o600);
  await handle.writeFile(key.toString("base64"));
  // The server may run under another account than the operator.
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

const NEW_KEY = "MILLRACE_NEW_MASTER_KEY";

/** `millrace rekey`: moves everything that the master key protects to a new one. */
export async function runRekey(env: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = readSettings(env);
  const newKey = newKeyFrom(env);
  const file = masterKeyFile(settings.dataDir);
  const inFile = settings.masterKey === undefined;
  if (inFile && !existsSync(file)) {
    throw new StartupError(
      `Set MILLRACE_MASTER_KEY to the current key; ${file} does not contain one.`,
    );
  }
  const keys = {
    from: loadMasterKey(settings.masterKey, settings.dataDir),
    to: new MasterKey(newKey),
  };
  return withDatabase(settings, async (owner) => {
    const staged = inFile ? await stageKey(file, newKey) : undefined;
    try {
      const count = await rekey(owner, keys);
      await staged?.put();
      return [
        count > 0
          ? `The data keys of all workspaces (${count}) are wrapped by the new master key.`
          : "The database already uses the new master key.",
        inFile
          ? `${file} holds the new key. Replace your copies of the old one.`
          : "From now on, start Millrace with MILLRACE_MASTER_KEY set to the new key.",
      ];
    } catch (error) {
      // After any other error it may be the active key, so it is kept, and a repetition continues with it.
      if (error instanceof StartupError) await staged?.discard();
      throw error;
    }
  });
}

/** Validated like MILLRACE_MASTER_KEY. */
function newKeyFrom(env: NodeJS.ProcessEnv): Buffer {
  const text = env[NEW_KEY];
  if (!text) {
    throw new StartupError(
      `Set ${NEW_KEY} to the new key: 32 bytes in base64, for example from \`head -c 32 /dev/urandom | base64\`.`,
    );
  }
  try {
    const { masterKey } = readSettings({ MILLRACE_MASTER_KEY: text });
    if (masterKey) return masterKey;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
  }
  throw new StartupError(`${NEW_KEY}: 32 bytes in base64`);
}
