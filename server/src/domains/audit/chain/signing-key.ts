import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
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
  const key = createPrivateKey({
    key: open(dataKey, sealed, CONTEXT),
    format: "der",
    type: "pkcs8",
  });
  return (statement) => sign(null, Buffer.from(statement), key);
}

/** Null before the first checkpoint. */
export async function findPublicKey(tx: Tx): Promise<Buffer | undefined> {
  return (await findSigningKey(tx))?.public_key;
}

/** True when the holder of a key signed a text. */
export function isSignedBy(publicKey: Buffer, statement: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
  return verify(null, Buffer.from(statement), key, signature);
}

function findSigningKey(tx: Tx) {
  return tx.selectFrom("log_signing_keys").select(["public_key", "sealed"]).executeTakeFirst();
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
