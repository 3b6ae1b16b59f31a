/**
 * Signature schemes of webhook senders. Each known sender is a configuration of one algorithm; a generic form
 * covers the rest.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** A signature in a header over a text that is composed from the request. */
export interface SignatureForm {
  /** The header name in lower case. */
  readonly header: string;
  readonly scheme: "hmac" | "token" | "basic" | "none";
  readonly algorithm?: "sha1" | "sha256" | "sha512";
  readonly encoding?: "hex" | "base64";
  /** The text before the signature, such as `sha256=`. */
  readonly prefix?: string;
  /** The signed text: `{body}`, `{timestamp}`, `{id}`, `{url}`, `{method}` and `{form}` in order. */
  readonly signed?: string;
  /** Location of the timestamp: a separate header, or a named part (`t`) of the signature header. */
  readonly timestamp?: { readonly header?: string; readonly part?: string; readonly unit?: "ms" };
  /** The name of the signature part, for example `v1`. */
  readonly part?: string;
  /** Several space-separated signatures, each prefixed with a version and this separator. */
  readonly versioned?: string;
  /** The key follows this prefix, encoded in base64. */
  readonly keyPrefix?: string;
  /** The header with the delivery id, used to detect duplicates. */
  readonly deliveryId?: string;
  /** The body field with the delivery id. */
  readonly deliveryField?: string;
  /** The challenge by which the sender verifies that we own the address. */
  readonly handshake?: "slack" | "meta" | "zoom";
}

const REPLAY_MS = 300_000;

export const SIGNATURE_PRESETS: ReadonlyMap<string, SignatureForm> = new Map<string, SignatureForm>(
  [
    [
      "github",
      {
        header: "x-hub-signature-256",
        scheme: "hmac",
        prefix: "sha256=",
        deliveryId: "x-github-delivery",
      },
    ],
    ["gitlab", { header: "x-gitlab-token", scheme: "token", deliveryId: "x-gitlab-event-uuid" }],
    [
      "stripe",
      {
        header: "stripe-signature",
        scheme: "hmac",
        signed: "{timestamp}.{body}",
        timestamp: { part: "t" },
        part: "v1",
        deliveryField: "id",
      },
    ],
    [
      "slack",
      {
        header: "x-slack-signature",
        scheme: "hmac",
        prefix: "v0=",
        signed: "v0:{timestamp}:{body}",
        timestamp: { header: "x-slack-request-timestamp" },
        deliveryField: "event_id",
        handshake: "slack",
      },
    ],
    [
      "shopify",
      {
        header: "x-shopify-hmac-sha256",
        scheme: "hmac",
        encoding: "base64",
        deliveryId: "x-shopify-event-id",
      },
    ],
    [
      "standard_webhooks",
      {
        header: "webhook-signature",
        scheme: "hmac",
        encoding: "base64",
        signed: "{id}.{timestamp}.{body}",
        timestamp: { header: "webhook-timestamp" },
        versioned: "v1,",
        keyPrefix: "whsec_",
        deliveryId: "webhook-id",
      },
    ],
    [
      "meta",
      { header: "x-hub-signature-256", scheme: "hmac", prefix: "sha256=", handshake: "meta" },
    ],
    [
      "telegram",
      { header: "x-telegram-bot-api-secret-token", scheme: "token", deliveryField: "update_id" },
    ],
    [
      "jira",
      {
        header: "x-hub-signature",
        scheme: "hmac",
        prefix: "sha256=",
        deliveryId: "x-atlassian-webhook-identifier",
      },
    ],
    [
      "typeform",
      {
        header: "typeform-signature",
        scheme: "hmac",
        prefix: "sha256=",
        encoding: "base64",
        deliveryField: "event_id",
      },
    ],
    ["clickup", { header: "x-signature", scheme: "hmac" }],
    [
      "woocommerce",
      {
        header: "x-wc-webhook-signature",
        scheme: "hmac",
        encoding: "base64",
        deliveryId: "x-wc-webhook-delivery-id",
      },
    ],
    [
      "zendesk",
      {
        header: "x-zendesk-webhook-signature",
        scheme: "hmac",
        encoding: "base64",
        signed: "{timestamp}{body}",
        timestamp: { header: "x-zendesk-webhook-signature-timestamp" },
        deliveryId: "x-zendesk-webhook-invocation-id",
      },
    ],
    [
      "hubspot",
      {
        header: "x-hubspot-signature-v3",
        scheme: "hmac",
        encoding: "base64",
        signed: "{method}{url}{body}{timestamp}",
        timestamp: { header: "x-hubspot-request-timestamp", unit: "ms" },
      },
    ],
    [
      "twilio",
      {
        header: "x-twilio-signature",
        scheme: "hmac",
        algorithm: "sha1",
        encoding: "base64",
        signed: "{url}{form}",
        deliveryId: "i-twilio-idempotency-token",
      },
    ],
    ["basic", { header: "authorization", scheme: "basic" }],
    // The address itself is the secret.
    ["url_token", { header: "", scheme: "none" }],
  ],
);

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** True if the signature is valid and, if the form has a timestamp, recent. */
export function isSignedBy(form: SignatureForm, key: string, request: SignedRequest): boolean {
  const { header, scheme } = form;
  if (scheme === "none") return true;
  const value = request.headers[header];
  if (value === undefined || key === "") return false;
  if (scheme === "token") return isEqual(value, key);
  if (scheme === "basic") {
    return isEqual(value, `Basic ${Buffer.from(`millrace:${key}`).toString("base64")}`);
  }
  const timestamp = readTimestamp(form, value, request);
  if (form.timestamp) {
    const sentMs = Number(timestamp) * (form.timestamp.unit === "ms" ? 1 : 1_000);
    if (!(Math.abs(request.nowMs - sentMs) <= REPLAY_MS)) return false;
  }
  const expected = computeSignature(form, key, { request, timestamp: timestamp ?? "" });
  return signaturesIn(form, value).some((one) => isEqual(one, expected));
}

function readTimestamp(
  { timestamp, part }: SignatureForm,
  value: string,
  { headers }: SignedRequest,
): string | undefined {
  if (timestamp?.header !== undefined) return headers[timestamp.header];
  if (timestamp?.part === undefined || part === undefined) return undefined;
  return listParts(value, timestamp.part)[0];
}

function signaturesIn({ part, prefix = "", versioned }: SignatureForm, value: string): string[] {
  if (part !== undefined) return listParts(value, part);
  if (versioned !== undefined) {
    return value
      .split(" ")
      .filter((one) => one.startsWith(versioned))
      .map((one) => one.slice(versioned.length));
  }
  return value.startsWith(prefix) ? [value.slice(prefix.length)] : [];
}

/** The values of a part in `t=1,v1=abc,v1=def`. */
function listParts(value: string, name: string): string[] {
  return value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
    .map((one) => one.slice(name.length + 1));
}

function computeSignature(
  form: SignatureForm,
  key: string,
  { request, timestamp }: { readonly request: SignedRequest; readonly timestamp: string },
): string {
  const { algorithm = "sha256", encoding = "hex", signed = "{body}", keyPrefix, deliveryId } = form;
  const secret =
    keyPrefix !== undefined && key.startsWith(keyPrefix)
      ? Buffer.from(key.slice(keyPrefix.length), "base64")
      : Buffer.from(key);
  const hmac = createHmac(algorithm, secret);
  for (const part of signed.split(/(\{\w+\})/)) {
    switch (part) {
      case "{body}":
        hmac.update(request.bytes);
        break;
      case "{timestamp}":
        hmac.update(timestamp);
        break;
      case "{id}":
        hmac.update(request.headers[deliveryId ?? ""] ?? "");
        break;
      case "{url}":
        hmac.update(request.url);
        break;
      case "{method}":
        hmac.update(request.method);
        break;
      case "{form}":
        hmac.update(sortedForm(request.bytes));
        break;
      default:
        hmac.update(part);
    }
  }
  return hmac.digest(encoding);
}

/** The form fields sorted by name, each name followed by its value. */
function sortedForm(bytes: Buffer): string {
  return [...new URLSearchParams(bytes.toString())]
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([name, value]) => name + value)
    .join("");
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
