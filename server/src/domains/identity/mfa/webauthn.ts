import { sha256 } from "#kernel/access/crypto.ts";
import type { Settings } from "#kernel/settings.ts";
import type { Assertion, Attestation } from "./factor.ts";
import type { StoredKey } from "./webauthn-store.ts";

/** How long a challenge may be answered. */
export const CHALLENGE_MS = 5 * 60_000;

/** Ed25519, ES256, RS256: together what the authenticators of the last ten years speak. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded at the first use: few need it, and it takes memory that every start would pay for. */
const library = () => import("@simplewebauthn/server");

/** Browsers bind a credential to a host name, and say which origin asked for it. */
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
    // One authenticator counts once, and it need not remember us: the password comes first.
    excludeCredentials: keys.map(toDescriptor),
    authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
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

/** The hash under which a challenge is kept. */
export function challengeHash(challenge: string): Buffer {
  return sha256(`webauthn challenge ${challenge}`);
}

/** The challenge that an answer says it answers; whether we asked it is for the caller to find out. */
export function parseChallenge({ response }: Assertion | Attestation): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, "base64url").toString();
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    // It is not even JSON, hence no answer to anything.
    return undefined;
  }
}

export interface NewKey {
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: string[];
}

/** The key of a sound attestation that answers the challenge. */
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

/** What the authenticator's counter says after a sound assertion that answers the challenge. */
export async function verifyAssertion(
  { id, rawId, type, response }: Assertion,
  challenge: string,
  key: StoredKey,
  settings: Settings,
): Promise<number | undefined> {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(settings);
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyOrUndefined(() =>
    verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: false,
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

/**
 * The library throws at whatever is wrong with an answer, be it a byte or the origin. Nothing else
 * happens inside but computation on that answer, so every error means the same: it is not sound.
 */
async function verifyOrUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
