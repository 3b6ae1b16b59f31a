import { randomBytes } from "node:crypto";
import { hmac } from "#kernel/access/crypto.ts";

const RECOVERY_CODES = 10;
const HALF_CHARACTERS = 5;
/** Crockford's base 32, without characters that look similar. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Generates ten codes of 50 random bits, such as `7k2rm-x9q4d`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => `${randomHalf()}-${randomHalf()}`);
}

/**
 * Hashed with a key, because 50 bits could be brute-forced from a copy of the database. Spelling variants of a code
 * have the same hash.
 */
export function recoveryHash(key: Buffer, userId: string, code: string): Buffer {
  const plain = code
    .toLowerCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return hmac(key, `recovery code of ${userId} ${plain}`);
}

function randomHalf(): string {
  return Array.from(randomBytes(HALF_CHARACTERS), (byte) => ALPHABET.charAt(byte & 31)).join("");
}
