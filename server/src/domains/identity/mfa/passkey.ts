/**
 * A passkey replaces password and code: it proves possession, and with a PIN or biometrics also the identity of the
 * person. These are two factors, so neither a password nor a code is required.
 */
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Assertion } from "./factor.ts";
import {
  CHALLENGE_MS,
  challengeHash,
  discoverableOptions,
  parseChallenge,
  verifyAssertion,
} from "./webauthn.ts";
import { recordKeyUse, type StoredKey } from "./webauthn-store.ts";

/** The options for `navigator.credentials.get`, for any account. */
export type PasskeyOptions = Awaited<ReturnType<typeof discoverableOptions>>;

export async function insertPasskeyChallenge(
  { tx, now }: WriteContext<never>,
  { challenge }: PasskeyOptions,
): Promise<void> {
  await tx
    .insertInto("webauthn_challenges")
    .values({
      challenge_hash: challengeHash(challenge),
      user_id: null,
      purpose: "login",
      expires_at: new Date(now.getTime() + CHALLENGE_MS),
    })
    .execute();
}

export { discoverableOptions as passkeyOptions } from "./webauthn.ts";

/** The account of a passkey, and whether its response is valid. */
export interface CheckedPasskey {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly status: "invited" | "active" | "deactivated";
  };
  /** False if the response is invalid or was already used. */
  readonly consume: (ctx: WriteContext<never>) => Promise<boolean>;
}

const PASSKEY = `
  select k.id, k.credential_id, k.public_key, k.counter, k.transports,
         u.id as "userId", u.email, u.name, u.status
    from webauthn_credentials k join users u on u.id = k.user_id
   where k.credential_id = $1 and u.managed_by is null`;

interface PasskeyRow extends StoredKey {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly status: CheckedPasskey["user"]["status"];
}

/** Finds the account of a passkey and verifies its response; undefined if the passkey is unknown. */
export async function checkPasskey(
  { db, settings }: Platform,
  assertion: Assertion,
): Promise<CheckedPasskey | undefined> {
  const [key] = await db.system<PasskeyRow & Record<string, unknown>>(PASSKEY, [assertion.id]);
  if (!key) return undefined;
  const { userId, email, name, status } = key;
  const challenge = parseChallenge(assertion);
  const counter =
    challenge === undefined || !matchesHandle(assertion, userId)
      ? undefined
      : await verifyAssertion(assertion, challenge, key, { settings, needsVerification: true });
  return {
    user: { id: userId, email, name, status },
    async consume({ tx, now }) {
      if (counter === undefined || challenge === undefined) return false;
      if (!(await consumeLoginChallenge(tx, challengeHash(challenge), now))) return false;
      return recordKeyUse(tx, { id: key.id, counter, now });
    },
  };
}

/** The authenticator reports the owner of the passkey; another owner means that it was moved between accounts. */
function matchesHandle({ response }: Assertion, userId: string): boolean {
  const { userHandle } = response;
  return userHandle === undefined || Buffer.from(userHandle, "base64url").toString() === userId;
}

async function consumeLoginChallenge(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const rows = await tx
    .deleteFrom("webauthn_challenges")
    .where("challenge_hash", "=", hash)
    .where("purpose", "=", "login")
    .where("expires_at", ">", now.toISOString())
    .returning("purpose")
    .execute();
  return rows.length > 0;
}
