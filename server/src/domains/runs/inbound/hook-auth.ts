/** Authentication of callers: body signature, password, header or token. */
import { createHmac } from "node:crypto";
import { findRights } from "#domains/identity/accounts/index.ts";
import type { HookAuth, WebhookTrigger } from "#domains/workflows/index.ts";
import { equalBytes, sha256 } from "#kernel/access/crypto.ts";
import type { RawRequest } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure, Forbidden, failure } from "#kernel/operation/failure.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import type { HookTarget } from "./hook-target.ts";
import type { FoundTrigger } from "./hook-trigger.ts";
import { headerOf, isSigned } from "./signature.ts";

export const SignatureInvalid = failure(
  "signature_invalid",
  401,
  "The signature of the request is missing or not valid.",
);
export const CredentialsInvalid = failure(
  "hook_credentials_invalid",
  401,
  "The credentials of the request are missing or not valid.",
);

/** Readers of the run must not see credentials of the caller. */
/** Headers that can contain a credential. */
export const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/** The names of headers that contain a credential. */
export function credentialHeaders({ signature, auth }: WebhookTrigger): readonly string[] {
  return [
    ...CREDENTIALS,
    ...(signature ? [headerOf(signature)] : []),
    ...(auth?.header === undefined ? [] : [auth.header.toLowerCase()]),
  ];
}

/** Checks the credentials required by a trigger. Returns the claims of a token. */
export async function authenticateHook(
  platform: Platform,
  { target, environment, named }: FoundTrigger<"webhook">,
  request: RawRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { signature, auth } = named.trigger;
  const hook = { ...target, environment };
  const { bytes, headers } = request;
  const nowMs = platform.clock.nowMs();
  if (signature) {
    const key = await readSecret(platform, hook, signature.secret);
    const signed = { bytes, header: headers[headerOf(signature)], nowMs };
    if (key === undefined || !isSigned(signed, key, signature)) {
      throw new Failure(SignatureInvalid);
    }
  }
  if (!auth) return undefined;
  const key = await readSecret(platform, hook, auth.secret);
  const claims = key === undefined ? undefined : checkCredentials(headers, key, { auth, nowMs });
  if (claims) return auth.kind === "jwt" ? claims : undefined;
  const challenge = auth.kind === "basic" ? { "www-authenticate": "Basic" } : {};
  throw new Failure(CredentialsInvalid, { headers: challenge });
}

/**
 * Reads a secret of the workspace. A missing secret rejects everything, without telling the caller which one is
 * missing.
 */
async function readSecret(
  platform: Platform,
  { workspace, environment, deployedBy: runAs, permissions }: HookTarget & Partition,
  reference: string,
): Promise<string | undefined> {
  try {
    const { value } = await platform.secrets.resolve({ workspace, environment }, reference, () =>
      findRights(platform, workspace, { runAs, permissions }),
    );
    // An empty secret would be known to everyone.
    return value === "" ? undefined : value;
  } catch (error) {
    const isKeyless =
      error instanceof Failure && (error.type === UnknownSecret || error.type === Forbidden);
    if (isKeyless) return undefined;
    throw error;
  }
}

function checkCredentials(
  headers: RawRequest["headers"],
  key: string,
  { auth, nowMs }: { readonly auth: HookAuth; readonly nowMs: number },
): Readonly<Record<string, unknown>> | undefined {
  const { authorization = "" } = headers;
  if (auth.kind === "header") {
    return equalSecrets(headers[auth.header?.toLowerCase() ?? ""] ?? "", key) ? {} : undefined;
  }
  if (auth.kind === "basic") {
    const expected = `Basic ${Buffer.from(key).toString("base64")}`;
    return equalSecrets(authorization, expected) ? {} : undefined;
  }
  return readClaims(/^Bearer (.+)$/.exec(authorization)?.[1] ?? "", key, { auth, nowMs });
}

const TOKEN_CHARACTERS_MAX = 8_000;
const SKEW_SECONDS = 60;

/** The claims of a token signed with the key. Only the algorithm of the trigger is accepted. */
function readClaims(
  token: string,
  key: string,
  { auth, nowMs }: { readonly auth: HookAuth; readonly nowMs: number },
): Readonly<Record<string, unknown>> | undefined {
  const [head = "", body = "", signature = "", rest] = token.split(".");
  if (token.length > TOKEN_CHARACTERS_MAX || rest !== undefined) return undefined;
  const { algorithm = "HS256" } = auth;
  const expected = createHmac(`sha${algorithm.slice(2)}`, key)
    .update(`${head}.${body}`)
    .digest("base64url");
  if (!equalSecrets(signature, expected) || parsePart(head)?.["alg"] !== algorithm)
    return undefined;
  const claims = parsePart(body);
  if (!claims) return undefined;
  const { exp, nbf, iss, aud } = claims;
  const nowSeconds = nowMs / 1_000;
  const isTimely =
    (exp === undefined || (typeof exp === "number" && nowSeconds < exp + SKEW_SECONDS)) &&
    (nbf === undefined || (typeof nbf === "number" && nowSeconds > nbf - SKEW_SECONDS));
  const audiences = Array.isArray(aud) ? aud : [aud];
  const isMeant =
    (auth.issuer === undefined || iss === auth.issuer) &&
    (auth.audience === undefined || audiences.includes(auth.audience));
  return isTimely && isMeant ? claims : undefined;
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Compares in constant time. */
function equalSecrets(given: string, expected: string): boolean {
  return equalBytes(sha256(given), sha256(expected));
}
