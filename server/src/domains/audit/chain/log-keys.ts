/**
 * The public keys of a log. A moved workspace gets a new key; its first checkpoint there contains the previous key,
 * and this hand-over keeps older checkpoints verifiable.
 */
import { sha256 } from "#kernel/access/crypto.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { findPublicKey, isSignedBy, listFormerKeys } from "./signing-key.ts";
import type { CheckpointStatement } from "./statement.ts";
import { type Checkpoint, listCheckpoints } from "./store.ts";

interface KeyRange {
  /** The number of the first checkpoint signed with the key. */
  readonly from: number;
  readonly publicKey: Buffer;
}

/** Keys with a verified hand-over, newest first. */
export type LogKeys = readonly KeyRange[];

/** Reads the key of this installation, and former keys if the checkpoint of their successor contains them. */
export async function readLogKeys(tx: Tx, dataKey: Buffer): Promise<LogKeys> {
  const keys: KeyRange[] = [];
  const former = await listFormerKeys(tx);
  let successor = await findPublicKey(tx, dataKey);
  if (successor) keys.push({ from: (former[0]?.last ?? 0) + 1, publicKey: successor });
  for (const [index, { publicKey, last }] of former.entries()) {
    // Before the first checkpoint of this installation, only the archive vouches for the key.
    if (successor && !(await isHandedOver(tx, last + 1, { from: publicKey, to: successor }))) break;
    keys.push({ from: (former[index + 1]?.last ?? 0) + 1, publicKey });
    successor = publicKey;
  }
  return keys;
}

export function findKey(keys: LogKeys, number: number): Buffer | undefined {
  return keys.find(({ from }) => number >= from)?.publicKey;
}

async function isHandedOver(
  tx: Tx,
  number: number,
  { from, to }: { readonly from: Buffer; readonly to: Buffer },
): Promise<boolean> {
  const [checkpoint] = await listCheckpoints(tx, number - 1, 1);
  if (checkpoint?.number !== number || !isIntact(checkpoint, to)) return false;
  const { previousKey } = JSON.parse(checkpoint.statement) as CheckpointStatement;
  return previousKey === from.toString("hex");
}

function isIntact({ statement, hash, signature }: Checkpoint, publicKey: Buffer): boolean {
  return sha256(statement).equals(hash) && isSignedBy(publicKey, statement, signature);
}
