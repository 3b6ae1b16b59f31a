import { createHmac, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { StartupError } from "#kernel/startup-error.ts";

const CHARACTERS_MIN = 12;
/** 128 MiB and some tenths of a second per guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1_048_576 };
const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** The keys of a passphrase: one wraps the workspace's data key, the other authenticates the archive. */
export interface PassphraseKeys {
  readonly wrapping: Buffer;
  readonly mac: Buffer;
}

export async function derivePassphraseKeys(
  passphrase: string,
  salt: Buffer,
): Promise<PassphraseKeys> {
  if (passphrase.length < CHARACTERS_MIN)
    throw new StartupError(`A passphrase has at least ${CHARACTERS_MIN} characters.`);
  const bytes = await derive(passphrase.normalize("NFC"), salt, 64, COST);
  return { wrapping: bytes.subarray(0, 32), mac: bytes.subarray(32) };
}

export function computeMac({ mac }: PassphraseKeys, total: string): string {
  return createHmac("sha256", mac).update(`archive ${total}`).digest("hex");
}
