import type { PlatformServices } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { checkHeaders } from "#kernel/outbound/request-checks.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { findSecretReferences, SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";
import { rememberSigningSecret } from "./secret.ts";

/** The headers of a webhook by name, as its owner wrote them. */
export type Headers = Readonly<Record<string, string>>;

/** Stands for a value that is not shown. */
export const MASK = "***";

const SENSITIVE = /auth|cookie|token|key|secret|password|credential|signature|session/i;
const REFERENCE = new RegExp(`\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}`, "g");
/** What may stand before a reference without being a secret itself: `Bearer `, `Basic `. */
const SCHEME_BEFORE = /^[A-Za-z]{1,20} /;

/** What we send ourselves, and receivers rely on. */
const OURS = new Set([
  "content-type",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "x-service-delivery",
  "x-service-event",
  "x-service-signature-256",
  "x-service-signature-256-previous",
]);

/** Whether a header's value is not to be shown: its name speaks of a credential, and it is one. */
export function isSecretHeader(name: string, value: string): boolean {
  if (!SENSITIVE.test(name)) return false;
  const written = value.replaceAll(REFERENCE, "").replace(SCHEME_BEFORE, "");
  return written !== "" || findSecretReferences(value).length === 0;
}

/** The headers as they may be shown. */
export function maskHeaders(headers: Headers): Record<string, string> {
  return mapped(headers, (value, name) => (isSecretHeader(name, value) ? MASK : value));
}

/** New headers, in which a mask that was sent back stands for the value that it was shown for. */
export function unmaskHeaders(
  given: Headers,
  stored: Headers,
): { readonly headers: Record<string, string>; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = [];
  const headers = mapped(given, (value, name) => {
    if (value !== MASK) return value;
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (before === undefined) faults.push({ path: pathOf(name), message: "has no value to keep" });
    return before ?? value;
  });
  return { headers, faults };
}

/** What is wrong with headers, before it is known which secrets there are. */
export function faultsOfHeaders(headers: Headers): FieldError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const message = OURS.has(lower)
      ? "is set by Millrace"
      : seen.has(lower)
        ? "is there twice"
        : faultOf(name, value);
    seen.add(lower);
    return message === undefined ? [] : [{ path: pathOf(name), message }];
  });
}

/** A fault for each header that refers to a secret which does not exist. */
export async function faultsOfReferences(
  { secrets }: Pick<PlatformServices, "secrets">,
  workspaceKey: string,
  headers: Headers,
): Promise<FieldError[]> {
  const missing = new Set(await secrets.missing(workspaceKey, findSecretReferences(headers)));
  return Object.entries(headers).flatMap(([name, value]) =>
    findSecretReferences(value)
      .filter((secret) => missing.has(secret))
      .map((secret) => ({ path: pathOf(name), message: `refers to no secret: ${secret}` })),
  );
}

/**
 * What takes everything that a webhook does not show out of texts again: its signing secrets, and what
 * is written into hidden headers without a reference. The secrets of the vault have scrubbers of their own.
 */
export function scrubberOf(headers: Headers, signingSecrets: readonly string[]): Scrubber {
  const written = Object.entries(headers)
    .filter(([name, value]) => isSecretHeader(name, value))
    .flatMap(([name, value]) =>
      value
        .split(REFERENCE)
        .map((piece) => ({ name, text: piece.replace(SCHEME_BEFORE, "").trim() })),
    )
    .filter(({ text }) => text !== "");
  return new Scrubber([
    ...written.map(({ name, text }) => recentSecrets.remember(name, text)),
    ...signingSecrets.map(rememberSigningSecret),
  ]);
}

function faultOf(name: string, value: string): string | undefined {
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

function mapped(headers: Headers, change: (value: string, name: string) => string) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, change(value, name)]),
  );
}
