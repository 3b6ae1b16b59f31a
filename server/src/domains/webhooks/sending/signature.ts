import { createHmac } from "node:crypto";
import { toKeyObject } from "#kernel/access/crypto.ts";

/** What is signed: the exact body, for the delivery of this id, at this attempt's time. */
export interface Message {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

const MS_PER_SECOND = 1_000;
const STANDARD_PREFIX = "whsec_";

/**
 * The headers by which a receiver knows the sender: ours, keyed with the secret as it is written, and
 * those of Standard Webhooks, keyed with its bytes. While a secret is being replaced both sign: the
 * list of Standard Webhooks has room for two, and ours gets a second header.
 */
export function signatureHeaders(
  message: Message,
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
    "webhook-signature": secrets.map((secret) => `v1,${standard(secret, signed)}`).join(" "),
    "X-Service-Signature-256": `sha256=${own(current, body)}`,
    ...(previous !== undefined && {
      "X-Service-Signature-256-Previous": `sha256=${own(previous, body)}`,
    }),
  };
}

function own(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function standard(secret: string, signed: string): string {
  return createHmac("sha256", toKeyObject(standardKey(secret)))
    .update(signed)
    .digest("base64");
}

/** After the prefix a secret is base64; any other text is its own key. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64")
    : Buffer.from(secret);
}
