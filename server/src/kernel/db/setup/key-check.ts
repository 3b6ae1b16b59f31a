import { type MasterKey, open, seal } from "../../access/crypto.ts";

const TEXT = "This is the right master key.";
const CONTEXT = "key check";

/** A sealed text stored by the installation, to detect a different master key at start. */
export function sealKeyCheck(masterKey: MasterKey): Buffer {
  return seal(masterKey.derive("key check"), Buffer.from(TEXT), CONTEXT);
}

export function verifyKeyCheck(masterKey: MasterKey, check: Buffer): boolean {
  try {
    open(masterKey.derive("key check"), check, CONTEXT);
    return true;
  } catch {
    return false;
  }
}
