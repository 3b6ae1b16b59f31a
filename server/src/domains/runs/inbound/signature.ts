import { createHmac } from "node:crypto";
import type { Trigger } from "#domains/workflows/index.ts";
import { equalBytes } from "#kernel/access/crypto.ts";

/** How senders sign requests, as the trigger declares it. */
export type SignatureRule = NonNullable<Extract<Trigger, { type: "webhook" }>["signature"]>;

const HEADER = "x-signature";
const AGE_MAX_MS = 5 * 60_000;

/** The name of the header that holds the signature. */
export function headerOf({ header = HEADER }: SignatureRule): string {
  return header.toLowerCase();
}

/**
 * True if one of the signatures in the header matches the exact bytes of the body. Senders that rotate keys send
 * several signatures, separated by commas or spaces.
 */
export function isSigned(
  { bytes, header, nowMs }: { bytes: Buffer; header: string | undefined; nowMs: number },
  key: string,
  { algorithm = "sha256", encoding = "hex", prefix = "", timestamped = false }: SignatureRule,
): boolean {
  const parts = (header ?? "").split(/[,\s]+/);
  const hmac = createHmac(algorithm, key);
  if (timestamped) {
    const seconds = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice("t=".length);
    if (seconds === undefined || Math.abs(nowMs - Number(seconds) * 1_000) > AGE_MAX_MS) {
      return false;
    }
    hmac.update(`${seconds}.`);
  }
  const expected = hmac.update(bytes).digest();
  return parts
    .filter((part) => part !== "" && part.startsWith(prefix))
    .some((part) => equalBytes(expected, Buffer.from(part.slice(prefix.length), encoding)));
}
