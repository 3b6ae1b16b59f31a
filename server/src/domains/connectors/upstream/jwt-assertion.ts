import { createPrivateKey, createSign, type KeyObject } from "node:crypto";
import type { ServiceAccount } from "../auth.ts";
import { UpstreamError } from "./upstream-error.ts";

const LIFETIME_SECONDS = 3_600;

/** The assertion of a service account: a self-signed token (RFC 7523). */
export function buildAssertion(auth: ServiceAccount, nowMs: number): string {
  const { clientId, tokenUrl, audience = tokenUrl, subject, scope, keyId } = auth;
  const issuedAt = Math.floor(nowMs / 1_000);
  const key = keyOf(auth);
  const isElliptic = key.asymmetricKeyType === "ec";
  const header = {
    alg: isElliptic ? "ES256" : "RS256",
    typ: "JWT",
    ...(keyId !== undefined && { kid: keyId }),
  };
  const claims = {
    iss: clientId,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    ...(subject !== undefined && { sub: subject }),
    ...(scope !== undefined && { scope }),
  };
  const text = [header, claims].map((part) => base64url(JSON.stringify(part))).join(".");
  const signature = createSign("sha256")
    .update(text)
    .sign({ key, dsaEncoding: "ieee-p1363" }, "base64url");
  return `${text}.${signature}`;
}

function keyOf({ privateKey }: ServiceAccount): KeyObject {
  try {
    // Keys are often pasted from JSON with escaped line ends.
    return createPrivateKey(privateKey.replaceAll("\\n", "\n"));
  } catch {
    throw new UpstreamError("The private key of the service account can't be parsed.");
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
