import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

/** PostgreSQL's own default. The passwords are random keys, so more rounds would add nothing. */
const ITERATIONS = 4_096;

/**
 * What PostgreSQL stores of a password (RFC 5803). Made here and with a salt that is always the same
 * for a role, it is the same text at every start: a pooler that passes a client's login on to the
 * server knows nothing but this text, and would be turned away as soon as it changed.
 */
export function scramVerifier(password: string, salt: Buffer): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const clientKey = hmac(salted, "Client Key");
  const storedKey = createHash("sha256").update(clientKey).digest("base64");
  const serverKey = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
