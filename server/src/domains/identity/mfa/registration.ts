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

/** The two halves of a registration: we ask, and the authenticator answers. */
type Registration = { readonly person: MfaUser } & (
  | { readonly options: Options }
  | { readonly answer: Answer | undefined; readonly codes: NewCodes }
);

interface Answer {
  readonly challenge: Buffer;
  readonly key: NewKey;
}

/** Makes a challenge, or checks the answer to one. */
export async function prepareRegistration(
  platform: Platform,
  credential: Attestation | undefined,
  caller: Caller,
): Promise<Registration> {
  const person = toMfaUser(caller, platform);
  if (credential) {
    const answer = await verifyAnswer(platform, person, credential);
    return { person, answer, codes: newCodes(await accountKey(platform), person) };
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
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(WebauthnBegun, who, data));
  return options;
}

async function completeRegistration(
  ctx: WriteContext<typeof WebauthnRegistered | typeof MfaFailed>,
  name: string,
  { person, answer, codes }: Extract<Registration, { codes: NewCodes }>,
) {
  const { tx, now } = ctx;
  await store.lockUser(tx, person.id);
  const challengeRef = answer && registrationChallenge(answer.challenge, person);
  if (!answer || !challengeRef || !(await keys.consumeChallenge(tx, challengeRef, now))) {
    emitToWorkspaces(ctx, person, (who, data) => ctx.emit(MfaFailed, who, data));
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
    ...answer.key,
  });
  await store.recordEnrolment(tx, person.id);
  // Whoever loses their only authenticator needs another way in.
  const first = !before.totp && !before.webauthn;
  if (first) await store.replaceRecoveryCodes(tx, person.id, codes.hashes);
  emitToWorkspaces(ctx, person, (who, data) =>
    ctx.emit(WebauthnRegistered, who, { ...data, credentialId: id, name }),
  );
  return { ...key, ...(first && { recoveryCodes: codes.enrolment }) };
}

async function verifyAnswer(
  { db, clock, settings }: Platform,
  person: MfaUser,
  credential: Attestation,
): Promise<Answer | undefined> {
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
