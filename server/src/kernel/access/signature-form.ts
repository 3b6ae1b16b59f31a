/** How senders of webhooks sign what they send. Each is a form of one rule; a general one is for all others. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** A signature over a text that is made of the request, in a header. */
export interface SignatureForm {
  /** In lower case. */
  readonly header: string;
  readonly scheme: "hmac" | "token" | "basic" | "none";
  readonly algorithm?: "sha1" | "sha256" | "sha512";
  readonly encoding?: "hex" | "base64";
  /** The text before the signature, such as `sha256=`. */
  readonly prefix?: string;
  /** The signed text: `{body}`, `{timestamp}`, `{id}`, `{url}`, `{method}`, `{form}` in their order. */
  readonly signed?: string;
  /** Where the time of sending is: a header, or a part of the signature's own header such as `t`. */
  readonly timestamp?: { readonly header?: string; readonly part?: string; readonly unit?: "ms" };
  /** The part of the header that has signatures, such as `v1`. */
  readonly part?: string;
  /** Several signatures with spaces between, each after a version and this. */
  readonly versioned?: string;
  /** The key is after this prefix, and in base64. */
  readonly keyPrefix?: string;
  /** The header that names a delivery, which may come twice. */
  readonly deliveryId?: string;
  /** A field of the body that names it. */
  readonly deliveryField?: string;
  /** How the sender finds out that the address is ours. */
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
    // The address itself is the secret: nobody else knows it.
    ["url_token", { header: "", scheme: "none" }],
  ],
);

/** A request as it was sent. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** True when whoever sent it knows the key, and sent it just now where the form has a time. */
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

/** The fields of a form in the order of their names, each followed by its value. */
function sortedForm(bytes: Buffer): string {
  return [...new URLSearchParams(bytes.toString())]
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([name, value]) => name + value)
    .join("");
}

/** Takes the same time whatever differs. */
function isEqual(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
