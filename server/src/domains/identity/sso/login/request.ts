import { randomBytes } from "node:crypto";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { equalBytes, open, seal, sha256 } from "#kernel/access/crypto.ts";
import { endpointUrls } from "../endpoint-urls.ts";
import { LoginRefused } from "./failure.ts";
import * as store from "../store.ts";

/**
 * A pending login: a row that the response must name by its `state` (RelayState in SAML), and a cookie that its
 * browser must send. The row works once, and expires after ten minutes.
 */
export interface LoginRequestDetails {
  /** The origin where the login started, which also receives the response. */
  readonly origin: string;
  readonly returnTo: string;
  /** The account that was logged in by password when the login started. */
  readonly signedInAs?: string;
  /** The owner who tests the configuration: they see the response, and no session starts. */
  readonly testedBy?: string;
  readonly sent:
    | { readonly protocol: "saml2"; readonly requestId: string }
    | { readonly protocol: "oidc"; readonly nonce: string; readonly codeVerifier: string };
}

export interface NewLoginRequest {
  readonly stateHash: Buffer;
  readonly browserHash: Buffer;
  readonly details: Buffer;
  readonly expiresAt: Date;
  readonly cookie: string;
}

const REQUEST_MS = 10 * 60_000;

export function newState(): string {
  return randomBytes(32).toString("base64url");
}

export async function createRequest(
  { keys, clock }: Platform,
  sso: store.WorkspaceSso,
  state: string,
  details: LoginRequestDetails,
): Promise<NewLoginRequest> {
  const browser = randomBytes(32).toString("base64url");
  const stateHash = sha256(state);
  const expiresAt = new Date(clock.nowMs() + REQUEST_MS);
  const key = await keys.of(sso.key);
  return {
    stateHash,
    browserHash: sha256(browser),
    details: seal(key, Buffer.from(JSON.stringify(details)), contextOf(stateHash)),
    expiresAt,
    cookie: buildCookie(sso, { state, browser, origin: details.origin }),
  };
}

/** Finds the login request of a response; rejects a response without one, or from another browser. */
export async function matchRequest(
  { db, keys, clock }: Platform,
  sso: store.WorkspaceSso,
  state: string,
  caller: Caller,
): Promise<LoginRequestDetails> {
  const stateHash = sha256(state);
  const row = await store.findRequest(db, stateHash, sso.key, clock.now());
  if (!row)
    throw new LoginRefused("request_unknown", "The response does not belong to an active sign-in.");
  const text = open(await keys.of(sso.key), row.details, contextOf(stateHash)).toString();
  const details = JSON.parse(text) as LoginRequestDetails;
  if (details.sent.protocol !== sso.protocol) {
    throw new LoginRefused("request_unknown", "The protocol was changed during the sign-in.");
  }
  const browser = caller.cookies?.get(cookieName(state));
  const isBound = sso.protocol === "oidc" || isSecure(details.origin);
  const isKnown = browser !== undefined && equalBytes(sha256(browser), row.browser_hash);
  if (isBound && !isKnown) {
    throw new LoginRefused("browser_unknown", "The sign-in was started in another browser.");
  }
  return details;
}

/** One cookie per login, so that two tabs do not overwrite each other's. */
function cookieName(state: string): string {
  return `millrace_sso_${sha256(state).toString("hex").slice(0, 16)}`;
}

/**
 * A SAML response is posted by a foreign page, where browsers send only `SameSite=None` cookies, which must be
 * `Secure`; over plain http on a developer's machine, they send none.
 */
function buildCookie(
  { slug, protocol }: store.WorkspaceSso,
  { state, browser, origin }: { state: string; browser: string; origin: string },
): string {
  const secure = isSecure(origin);
  const sameSite = protocol === "saml2" && secure ? "None" : "Lax";
  const parts = [
    `${cookieName(state)}=${browser}`,
    `Path=${new URL(".", endpointUrls(origin, slug).login).pathname}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    `Max-Age=${REQUEST_MS / 1000}`,
    ...(secure ? ["Secure"] : []),
  ];
  return parts.join("; ");
}

function isSecure(origin: string): boolean {
  return origin.startsWith("https:");
}

function contextOf(stateHash: Buffer): string {
  return `SSO request ${stateHash.toString("hex")}`;
}
