import { createHmac } from "node:crypto";
import { toKeyObject } from "#kernel/access/crypto.ts";

/** The signed message: the exact body, the delivery's id and the attempt's time. */
export interface SignedMessage {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

const MS_PER_SECOND = 1_000;
const STANDARD_PREFIX = "whsec_";

/**
 * The signature headers for receivers: the product's own, keyed with the text of the secret, and those of Standard
 * Webhooks, keyed with its bytes. During a rotation both secrets sign: the Standard Webhooks header contains two
 * signatures, and the own signature has a second header.
 */
export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const { id, at, body } = message;
  const timestamp = String(Math.floor(at.getTime() / MS_PER_SECOND));
  const common = { "webhook-id": id, "webhook-timestamp": timestamp };
  const [current, previous] = secrets;
  if (current === undefined) return common;
  const signed = `${id}.${timestamp}.${body}`;
  return {
    ...common,
    "webhook-signature": secrets.map((secret) => `v1,${signStandard(secret, signed)}`).join(" "),
    "X-Service-Signature-256": `sha256=${signBody(current, body)}`,
    ...(previous !== undefined && {
      "X-Service-Signature-256-Previous": `sha256=${signBody(previous, body)}`,
    }),
  };
}

function signBody(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function signStandard(secret: string, signed: string): string {
  return createHmac("sha256", toKeyObject(standardKey(secret)))
    .update(signed)
    .digest("base64");
}

/** Decodes base64 after the prefix; any other text is its own key. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64")
    : Buffer.from(secret);
}
