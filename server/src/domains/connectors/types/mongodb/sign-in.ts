/**
 * SCRAM-SHA-256 (RFC 7677): the password is proved without sending it, and the server proves that it knows it too.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Document } from "bson";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import type { MongoSession } from "./wire.ts";

type Bson = typeof import("bson");

const MECHANISM = "SCRAM-SHA-256";
/** Fewer rounds would be insecure; more would let a hostile server consume CPU time. */
const ROUNDS_MIN = 4_096;
const ROUNDS_MAX = 200_000;
const KEY_BYTES = 32;

const derive = promisify(pbkdf2);

export async function signIn(
  bson: Bson,
  session: MongoSession,
  { database, username, password }: { database: string; username: string; password: string },
): Promise<void> {
  const nonce = randomBytes(24).toString("base64");
  const escaped = username.replaceAll("=", "=3D").replaceAll(",", "=2C");
  const first = `n=${escaped},r=${nonce}`;
  const begun = await session.send(database, {
    saslStart: 1,
    mechanism: MECHANISM,
    payload: new bson.Binary(Buffer.from(`n,,${first}`)),
    options: { skipEmptyExchange: true },
  });
  const challenge = readPayload(bson, begun);
  const { r = "", s = "", i = "" } = partsOf(challenge);
  const rounds = Number(i);
  if (!r.startsWith(nonce) || !(rounds >= ROUNDS_MIN && rounds <= ROUNDS_MAX)) throw wrongServer();
  const salt = Buffer.from(s, "base64");
  const salted = await derive(password.normalize("NFKC"), salt, rounds, KEY_BYTES, "sha256");
  const answer = `c=biws,r=${r}`;
  const dialogue = `${first},${challenge},${answer}`;
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), dialogue);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  const ended = await session.send(database, {
    saslContinue: 1,
    conversationId: begun["conversationId"],
    payload: new bson.Binary(Buffer.from(`${answer},p=${proof.toString("base64")}`)),
  });
  const proven = Buffer.from(partsOf(readPayload(bson, ended))["v"] ?? "", "base64");
  const expected = hmac(hmac(salted, "Server Key"), dialogue);
  if (proven.length !== expected.length || !timingSafeEqual(proven, expected)) throw wrongServer();
}

function readPayload(bson: Bson, { ok, payload }: Document): string {
  if (ok !== 1 || !(payload instanceof bson.Binary)) {
    throw new UpstreamError("The server rejected the user name or the password.");
  }
  return Buffer.from(payload.buffer).toString();
}

function partsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function wrongServer(): UpstreamError {
  return new UpstreamError("The server could not prove that it knows the password.");
}
