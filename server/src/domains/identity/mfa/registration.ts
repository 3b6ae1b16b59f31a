import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { MfaFailed, WebauthnBegun, WebauthnRegistered } from "./events.ts";
import { type Attestation, BadCredential, TooManyCredentials } from "./factor.ts";
import { type MfaUser, toMfaUser, requireSession, emitToWorkspaces } from "./mfa-user.ts";
import { accountKey } from "./second-factor.ts";
import { type NewCodes, newCodes } from "./service.ts";
import * as store from "./store.ts";
import {
  CHALLENGE_MS,
  challengeHash,
  parseChallenge,
  creationOptions,
  verifyAttestation,
  type NewKey,
} from "./webauthn.ts";
import * as keys from "./webauthn-store.ts";

const KEYS_MAX = 20;

type Options = Awaited<ReturnType<typeof creationOptions>>;

/** The two steps of a registration: the challenge, and the authenticator's response. */
type Registration = { readonly person: MfaUser } & (
  | { readonly options: Options }
  | { readonly response: VerifiedResponse | undefined; readonly codes: NewCodes }
);

interface VerifiedResponse {
  readonly challenge: Buffer;
  readonly key: NewKey;
}

/** Creates a challenge, or verifies the response to one, before the transaction. */
export async function prepareRegistration(
  platform: Platform,
  credential: Attestation | undefined,
  caller: Caller,
): Promise<Registration> {
  const person = toMfaUser(caller, platform);
  if (credential) {
    const response = await verifyResponse(platform, person, credential);
    return { person, response, codes: newCodes(await accountKey(platform), person) };
  }
  const { user } = requireSession(caller);
  const existing = await keys.findKeys(platform.db, person.id);
  if (existing.length >= KEYS_MAX) throw new Failure(TooManyCredentials);
  return { person, options: await creationOptions(platform.settings, user, existing) };
}

export async function registerKey(
  ctx: WriteContext<typeof WebauthnBegun | typeof WebauthnRegistered | typeof MfaFailed>,
  name: string,
  registration: Registration,
) {
  if (!("options" in registration)) return completeRegistration(ctx, name, registration);
  const { person, options } = registration;
  await keys.insertChallenge(ctx.tx, {
    challenge_hash: challengeHash(options.challenge),
    user_id: person.id,
    purpose: "register",
    expires_at: new Date(ctx.now.getTime() + CHALLENGE_MS),
  });
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(WebauthnBegun, ref, data));
  return options;
}

async function completeRegistration(
  ctx: WriteContext<typeof WebauthnRegistered | typeof MfaFailed>,
  name: string,
  { person, response, codes }: Extract<Registration, { codes: NewCodes }>,
) {
  const { tx, now } = ctx;
  await store.lockUser(tx, person.id);
  const challengeRef = response && registrationChallenge(response.challenge, person);
  if (!response || !challengeRef || !(await keys.consumeChallenge(tx, challengeRef, now))) {
    emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(MfaFailed, ref, data));
    return new Failure(BadCredential);
  }
  const before = await store.readFactors(tx, person.id);
  const existing = await keys.listKeys(tx, person.id, { after: "", limit: KEYS_MAX });
  if (existing.length >= KEYS_MAX) throw new Failure(TooManyCredentials);
  const id = newId("wac", now.getTime());
  const key = await keys.insertKey(tx, {
    id,
    user_id: person.id,
    name,
    created_at: now,
    ...response.key,
  });
  await store.recordEnrolment(tx, person.id);
  // Without recovery codes, losing the only authenticator would lock the account.
  const first = !before.totp && !before.webauthn;
  if (first) await store.replaceRecoveryCodes(tx, person.id, codes.hashes);
  emitToWorkspaces(ctx, person, (ref, data) =>
    ctx.emit(WebauthnRegistered, ref, { ...data, credentialId: id, name }),
  );
  return { ...key, ...(first && { recoveryCodes: codes.enrolment }) };
}

async function verifyResponse(
  { db, clock, settings }: Platform,
  person: MfaUser,
  credential: Attestation,
): Promise<VerifiedResponse | undefined> {
  const challenge = parseChallenge(credential);
  if (challenge === undefined) return undefined;
  const hash = challengeHash(challenge);
  if (!(await keys.isChallengeOpen(db, registrationChallenge(hash, person), clock.now())))
    return undefined;
  const key = await verifyAttestation(credential, challenge, settings);
  return key && { challenge: hash, key };
}

function registrationChallenge(hash: Buffer, { id }: MfaUser): keys.ChallengeRef {
  return { hash, userId: id, purpose: "register" };
}
