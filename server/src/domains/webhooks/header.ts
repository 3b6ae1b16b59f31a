import type { Services } from "#kernel/caller.ts";
import type { Fault } from "#kernel/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { checkHeaders } from "#kernel/outbound/target.ts";
import { recentSecrets } from "#kernel/secrets/recent.ts";
import { findReferences, SECRET_NAME } from "#kernel/secrets/reference.ts";
import { Scrubber } from "#kernel/secrets/scrubber.ts";

/** The headers of a webhook by name, as its owner wrote them. */
export type Headers = Readonly<Record<string, string>>;

/** Stands for a value that is not shown. */
export const MASK = "***";

const SENSITIVE = /auth|cookie|token|key|secret|password|credential|signature|session/i;
const REFERENCE = new RegExp(`\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}`, "g");
/** What may stand before a reference without being a secret itself: `Bearer `, `Basic `. */
const SCHEME = /^([A-Za-z]{1,20} )?$/;

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
export function isHidden(name: string, value: string): boolean {
  if (!SENSITIVE.test(name)) return false;
  const references = findReferences(value).length > 0;
  return !(references && SCHEME.test(value.replaceAll(REFERENCE, "")));
}

/** The headers as they may be shown. */
export function masked(headers: Headers): Record<string, string> {
  return mapped(headers, (value, name) => (isHidden(name, value) ? MASK : value));
}

/** New headers, in which a mask that was sent back stands for the value that it was shown for. */
export function unmasked(
  given: Headers,
  stored: Headers,
): { readonly headers: Record<string, string>; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const headers = mapped(given, (value, name) => {
    if (value !== MASK) return value;
    const before = stored[name];
    if (before === undefined) faults.push({ path: pathOf(name), message: "has no value to keep" });
    return before ?? value;
  });
  return { headers, faults };
}

/** What is wrong with headers, before it is known which secrets there are. */
export function faultsOfHeaders(headers: Headers): Fault[] {
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
  { secrets }: Pick<Services, "secrets">,
  workspaceKey: string,
  headers: Headers,
): Promise<Fault[]> {
  const missing = new Set(await secrets.missing(workspaceKey, findReferences(headers)));
  return Object.entries(headers).flatMap(([name, value]) =>
    findReferences(value)
      .filter((secret) => missing.has(secret))
      .map((secret) => ({ path: pathOf(name), message: `refers to no secret: ${secret}` })),
  );
}

/**
 * The headers to send, with their secrets, and what takes everything that is not to be shown out of
 * texts again: the secrets, and the hidden values that were written without one.
 */
export async function openHeaders(
  { secrets }: Pick<Services, "secrets">,
  workspaceKey: string,
  headers: Headers,
): Promise<{ readonly headers: Headers; readonly scrub: (text: string) => string }> {
  const { value, scrubber } = await secrets.resolve(workspaceKey, headers);
  const hidden = new Scrubber(
    Object.entries(headers)
      .filter(([name, written]) => isHidden(name, written))
      .map(([name]) => recentSecrets.remember(name, value[name] ?? "")),
  );
  return { headers: value, scrub: (text) => hidden.scrub(scrubber.scrub(text)) };
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
