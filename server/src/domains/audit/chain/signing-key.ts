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

/** The key that signs the checkpoints of a workspace; made when it is first needed. */
export async function ensureSigningKey(
  { tx, now }: Pick<WriteContext, "tx" | "now">,
  dataKey: Buffer,
): Promise<(statement: string) => Buffer> {
  const known = await findSigningKey(tx);
  const sealed = known?.sealed ?? (await insertSigningKey(tx, dataKey, now));
  const key = openPrivateKey(dataKey, sealed);
  return (statement) => sign(null, Buffer.from(statement), key);
}

/**
 * The public half of the sealed key; undefined before the first checkpoint. The one that is stored beside it is not
 * asked: whoever owns the database could put another in its place, and sign with that.
 */
export async function findPublicKey(tx: Tx, dataKey: Buffer): Promise<Buffer | undefined> {
  const known = await findSigningKey(tx);
  return (
    known &&
    createPublicKey(openPrivateKey(dataKey, known.sealed)).export({ format: "der", type: "spki" })
  );
}

function openPrivateKey(dataKey: Buffer, sealed: Buffer): KeyObject {
  return createPrivateKey({
    key: open(dataKey, sealed, CONTEXT),
    format: "der",
    type: "pkcs8",
  });
}

/** True when the holder of a key signed a text. */
export function isSignedBy(publicKey: Buffer, statement: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
  return verify(null, Buffer.from(statement), key, signature);
}

function findSigningKey(tx: Tx) {
  return tx.selectFrom("log_signing_keys").select("sealed").executeTakeFirst();
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
