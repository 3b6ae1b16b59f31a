import type { PlatformServices } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { checkHeaders } from "#kernel/outbound/request-checks.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { findSecretReferences, SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";
import { rememberSigningSecret } from "./secret.ts";

/** The headers of a webhook by name, unmasked. */
export type Headers = Readonly<Record<string, string>>;

/** Replaces a secret value in responses. */
export const MASK = "***";

/** Names of headers and parameters that hold a credential. */
export const CREDENTIAL_NAME =
  /auth|cookie|token|key|secret|password|credential|signature|session/i;
const SECRET_REFERENCE = new RegExp(`\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}`, "g");
/** An authentication scheme before a reference is not secret: `Bearer `, `Basic `. */
const AUTH_SCHEME_PREFIX = /^[A-Za-z]{1,20} /;

/** Headers that every delivery sets and receivers rely on. */
const RESERVED_HEADERS = new Set([
  "content-type",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "x-service-delivery",
  "x-service-event",
  "x-service-signature-256",
  "x-service-signature-256-previous",
]);

/** Returns whether a header value is masked: it has the name of a credential, and is not only a reference. */
export function isSecretHeader(name: string, value: string): boolean {
  if (!CREDENTIAL_NAME.test(name)) return false;
  const literal = value.replaceAll(SECRET_REFERENCE, "").replace(AUTH_SCHEME_PREFIX, "");
  return literal !== "" || findSecretReferences(value).length === 0;
}

/** Masks the secret values of headers. */
export function maskHeaders(headers: Headers): Record<string, string> {
  return mapHeaders(headers, (value, name) => (isSecretHeader(name, value) ? MASK : value));
}

/** Replaces each mask that was sent back by the stored value. */
export function unmaskHeaders(
  input: Headers,
  stored: Headers,
): { readonly headers: Record<string, string>; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const headers = mapHeaders(input, (value, name) => {
    if (value !== MASK) return value;
    const storedValue = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (storedValue === undefined)
      errors.push({ path: pathOf(name), message: "has no stored value" });
    return storedValue ?? value;
  });
  return { headers, errors };
}

/** The errors of masks whose stored value was entered for another URL. */
export function keptHeaderErrors(headers: Headers): FieldError[] {
  return Object.entries(headers)
    .filter(([, value]) => value === MASK)
    .map(([name]) => ({
      path: pathOf(name),
      message: "must be sent again, because /url changes the recipient",
    }));
}

/** The field errors of headers, except missing secrets. */
export function headerErrors(headers: Headers): FieldError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const message = RESERVED_HEADERS.has(lower)
      ? "is set by Millrace"
      : seen.has(lower)
        ? "appears twice"
        : headerErrorMessage(name, value);
    seen.add(lower);
    return message === undefined ? [] : [{ path: pathOf(name), message }];
  });
}

/** Returns a field error for each reference to a missing secret. */
export async function findReferenceErrors(
  { secrets }: Pick<PlatformServices, "secrets">,
  workspace: string,
  headers: Headers,
): Promise<FieldError[]> {
  // A webhook applies to all environments; missing secrets of other environments are reported when an event is
  // sent.
  const everywhere = { workspace, environment: "production" } as const;
  const missing = new Set(await secrets.findMissing(everywhere, findSecretReferences(headers)));
  return Object.entries(headers).flatMap(([name, value]) =>
    findSecretReferences(value)
      .filter((secret) => missing.has(secret))
      .map((secret) => ({ path: pathOf(name), message: `contains unknown secrets: ${secret}` })),
  );
}

/**
 * Creates the scrubber of a webhook, for its signing secrets and the literal values of masked headers. Vault
 * secrets have their own scrubbers.
 */
export function createScrubber(headers: Headers, signingSecrets: readonly string[]): Scrubber {
  const literal = Object.entries(headers)
    .filter(([name, value]) => isSecretHeader(name, value))
    .flatMap(([name, value]) =>
      value
        .split(SECRET_REFERENCE)
        .map((fragment) => ({ name, text: fragment.replace(AUTH_SCHEME_PREFIX, "").trim() })),
    )
    .filter(({ text }) => text !== "");
  return new Scrubber([
    ...literal.map(({ name, text }) => recentSecrets.remember(name, text)),
    ...signingSecrets.map(rememberSigningSecret),
  ]);
}

function headerErrorMessage(name: string, value: string): string | undefined {
  try {
    checkHeaders({ [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.message;
    throw error;
  }
}

function pathOf(name: string): string {
  return `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function mapHeaders(headers: Headers, change: (value: string, name: string) => string) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, change(value, name)]),
  );
}
