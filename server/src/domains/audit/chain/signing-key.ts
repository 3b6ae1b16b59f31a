import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { WriteContext } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import type { Tx } from "#kernel/db/connection.ts";

const CONTEXT = "log signing key";
/** Each is a move of the workspace. */
const FORMER_KEYS_MAX = 100;

/** The key that signs the next checkpoint. */
export interface SigningKey {
  readonly sign: (statement: string) => Buffer;
  /** The public key of the workspace's previous installation. Only with the first checkpoint after the move. */
  readonly previousKey: Buffer | undefined;
}

/** The key that signs the checkpoints of a workspace, created on demand. */
export async function ensureSigningKey(
  { tx, now }: Pick<WriteContext, "tx" | "now">,
  dataKey: Buffer,
): Promise<SigningKey> {
  const known = await findSealedKey(tx);
  const sealed = known ?? (await insertSigningKey(tx, dataKey, now));
  const [former] = known ? [] : await listFormerKeys(tx);
  const key = openPrivateKey(dataKey, sealed);
  return {
    sign: (statement) => sign(null, Buffer.from(statement), key),
    previousKey: former?.publicKey,
  };
}

/**
 * The public part of the sealed key. Undefined before the first checkpoint. The stored public key is not used, because
 * the database owner could replace it and sign with another.
 */
export async function findPublicKey(tx: Tx, dataKey: Buffer): Promise<Buffer | undefined> {
  const sealed = await findSealedKey(tx);
  return (
    sealed &&
    createPublicKey(openPrivateKey(dataKey, sealed)).export({ format: "der", type: "spki" })
  );
}

/** A key with which another installation signed the log before the workspace moved. */
export interface FormerKey {
  readonly publicKey: Buffer;
  /** The number of the last checkpoint signed with it. */
  readonly last: number;
}

/** Former keys, newest first. */
export async function listFormerKeys(tx: Tx): Promise<FormerKey[]> {
  const rows = await tx
    .selectFrom("log_signing_keys")
    .select(["public_key", "last_checkpoint"])
    .where("last_checkpoint", "is not", null)
    .orderBy("last_checkpoint", "desc")
    .limit(FORMER_KEYS_MAX)
    .execute();
  return rows.map((row) => ({ publicKey: row.public_key, last: row.last_checkpoint ?? 0 }));
}

function openPrivateKey(dataKey: Buffer, sealed: Buffer): KeyObject {
  return createPrivateKey({
    key: open(dataKey, sealed, CONTEXT),
    format: "der",
    type: "pkcs8",
  });
}

/** True if the text was signed with the key. */
export function isSignedBy(publicKey: Buffer, statement: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
  return verify(null, Buffer.from(statement), key, signature);
}

async function findSealedKey(tx: Tx): Promise<Buffer | undefined> {
  const row = await tx
    .selectFrom("log_signing_keys")
    .select("sealed")
    .where("sealed", "is not", null)
    .executeTakeFirst();
  return row?.sealed ?? undefined;
}

async function insertSigningKey(tx: Tx, dataKey: Buffer, now: Date): Promise<Buffer> {
  const pair = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  const sealed = seal(dataKey, pair.privateKey, CONTEXT);
  await tx
    .insertInto("log_signing_keys")
    .values({ public_key: pair.publicKey, sealed, created_at: now })
    .execute();
  return sealed;
}
