import { existsSync } from "node:fs";
import { loadMasterKey, MasterKey, masterKeyFile } from "#kernel/access/crypto.ts";
import { rekey } from "#kernel/db/setup/rekey.ts";
import { readSettings } from "#kernel/settings.ts";
import { StartRefused } from "#kernel/startup-error.ts";
import { withDatabase } from "./database.ts";
import { stageKey } from "./key-file.ts";

const NEW_KEY = "MILLRACE_NEW_MASTER_KEY";

/** `millrace rekey`: everything that the master key protects goes under a new one. */
export async function runRekey(env: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = readSettings(env);
  const newKey = newKeyFrom(env);
  const file = masterKeyFile(settings.dataDir);
  const inFile = settings.masterKey === undefined;
  if (inFile && !existsSync(file)) {
    throw new StartRefused(`Set MILLRACE_MASTER_KEY to the present key; there is none in ${file}.`);
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
          : "The database was under the new master key already.",
        inFile
          ? `${file} holds the new key. Replace your copies of the old one.`
          : "From now on start Millrace with MILLRACE_MASTER_KEY set to the new key.",
      ];
    } catch (error) {
      // After any other error it may be the right key; it stays, and a repetition goes on from there.
      if (error instanceof StartRefused) await staged?.discard();
      throw error;
    }
  });
}

/** By the very rule of MILLRACE_MASTER_KEY, which it is to become. */
function newKeyFrom(env: NodeJS.ProcessEnv): Buffer {
  const text = env[NEW_KEY];
  if (!text) {
    throw new StartRefused(
      `Set ${NEW_KEY} to the new key: 32 bytes in base64, as \`head -c 32 /dev/urandom | base64\` makes them.`,
    );
  }
  try {
    const { masterKey } = readSettings({ MILLRACE_MASTER_KEY: text });
    if (masterKey) return masterKey;
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
  }
  throw new StartRefused(`${NEW_KEY}: 32 bytes in base64`);
}
