import { sha256 } from "#kernel/access/crypto.ts";
import type { Settings } from "#kernel/settings.ts";
import type { Assertion, Attestation } from "./factor.ts";
import type { StoredKey } from "./webauthn-store.ts";

/** The lifetime of a challenge. */
export const CHALLENGE_MS = 5 * 60_000;

/** Ed25519, ES256, RS256: together they cover the authenticators of the last ten years. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded on first use: few installations need it, and it uses memory. */
const library = () => import("@simplewebauthn/server");

/** Browsers bind a credential to a host name, and report the requesting origin. */
export function relyingParty({ baseUrl, port }: Settings): { id: string; origin: string } {
  const url = new URL(baseUrl ?? `http://localhost:${port}`);
  return { id: url.hostname, origin: url.origin };
}

export async function creationOptions(
  settings: Settings,
  user: { readonly id: string; readonly email: string; readonly name: string },
  keys: readonly StoredKey[],
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "Millrace",
    rpID: relyingParty(settings).id,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name,
    timeout: CHALLENGE_MS,
    attestationType: "none",
    // An authenticator can be registered once. If it can store the credential, it can be used as a passkey.
    excludeCredentials: keys.map(toDescriptor),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

export async function requestOptions(settings: Settings, keys: readonly StoredKey[]) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: relyingParty(settings).id,
    allowCredentials: keys.map(toDescriptor),
    timeout: CHALLENGE_MS,
    userVerification: "preferred",
  });
}

/** Options for a login without a user name: the authenticator offers its passkeys for this site. */
export async function discoverableOptions(settings: Settings) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: relyingParty(settings).id,
    timeout: CHALLENGE_MS,
    userVerification: "required",
  });
}

/** The hash under which a challenge is stored. */
export function challengeHash(challenge: string): Buffer {
  return sha256(`webauthn challenge ${challenge}`);
}

/** Reads the challenge of a response; the caller checks that this server issued it. */
export function parseChallenge({ response }: Assertion | Attestation): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, "base64url").toString();
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    // Invalid JSON is not a response to a challenge.
    return undefined;
  }
}

export interface NewKey {
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: string[];
}

/** Verifies an attestation against the challenge, and returns its key. */
export async function verifyAttestation(
  { id, rawId, type, response }: Attestation,
  challenge: string,
  settings: Settings,
): Promise<NewKey | undefined> {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(settings);
  const { transports = [], ...signed } = response;
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyOrUndefined(() =>
    verifyRegistrationResponse({
      response: { id, rawId, type, response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!verified?.verified) return undefined;
  const { credential } = verified.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
  };
}

/** A passkey without a password requires user verification. */
export interface AssertionRules {
  readonly settings: Settings;
  readonly needsVerification: boolean;
}

/** Verifies an assertion against the challenge, and returns the authenticator's counter. */
export async function verifyAssertion(
  { id, rawId, type, response }: Assertion,
  challenge: string,
  key: StoredKey,
  { settings, needsVerification }: AssertionRules,
): Promise<number | undefined> {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(settings);
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyOrUndefined(() =>
    verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: needsVerification,
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(key.public_key),
        counter: key.counter,
      },
    }),
  );
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
}

function toDescriptor({ credential_id, transports }: StoredKey) {
  return { id: credential_id, transports: [...transports] };
}

/** Undefined for any error: the library throws for all invalid responses, and only verifies. */
async function verifyOrUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
