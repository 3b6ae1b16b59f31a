import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { open } from "#kernel/access/crypto.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { RecoveryCodeUsed } from "./events.ts";
import {
  type Assertion,
  type Method,
  NotEnrolled,
  type Proof,
  SecondFactorRequired,
} from "./factor.ts";
import { throttleGuesses, type MfaUser, emitToWorkspaces } from "./mfa-user.ts";
import { recoveryHash } from "./recovery-codes.ts";
import * as store from "./store.ts";
import { findTotpStep } from "./totp.ts";
import {
  CHALLENGE_MS,
  challengeHash,
  parseChallenge,
  verifyAssertion,
  requestOptions,
} from "./webauthn.ts";
import * as keys from "./webauthn-store.ts";

/**
 * A second factor that was verified before the transaction. It is consumed inside the transaction, so that only one
 * of several concurrent uses succeeds.
 */
export interface SecondFactor {
  /** False if it was used in the meantime. */
  readonly consume: (ctx: WriteContext<typeof RecoveryCodeUsed>) => Promise<boolean>;
}

/** The second factors required from an account. */
export interface MfaRequirement {
  readonly methods: readonly Method[];
  /** For `navigator.credentials.get`, where a WebAuthn credential is registered. */
  readonly options?: object;
}

/** Lists the second factors of an account; empty when none is enrolled. */
export async function listMethods({ db }: Platform, userId: string): Promise<Method[]> {
  const { totp, webauthn, recoveryCodesLeft } = await store.findFactors(db, userId);
  if (!totp && !webauthn) return [];
  return [
    ...(totp ? (["totp"] as const) : []),
    ...(webauthn ? (["webauthn"] as const) : []),
    ...(recoveryCodesLeft > 0 ? (["recovery_code"] as const) : []),
  ];
}

/** Creates a challenge for the account's WebAuthn credentials. */
export async function assertionOptions(platform: Platform, userId: string): Promise<object> {
  const { db, settings, clock } = platform;
  const options = await requestOptions(settings, await keys.findKeys(db, userId));
  await keys.saveChallenge(db, {
    challenge_hash: challengeHash(options.challenge),
    user_id: userId,
    purpose: "assert",
    expires_at: new Date(clock.nowMs() + CHALLENGE_MS),
  });
  return options;
}

export async function buildMfaRequirement(
  platform: Platform,
  userId: string,
  methods: readonly Method[],
): Promise<MfaRequirement> {
  if (!methods.includes("webauthn")) return { methods };
  return { methods, options: await assertionOptions(platform, userId) };
}

/** Verifies a second factor; undefined if it is invalid or already used. */
export function checkSecondFactor(
  platform: Platform,
  person: MfaUser,
  { code, assertion }: Proof,
): Promise<SecondFactor | undefined> {
  if (assertion) return checkAssertion(platform, person, assertion);
  const plain = (code ?? "").replaceAll(/\s/g, "");
  return /^\d{6}$/.test(plain)
    ? checkTotp(platform, person, plain)
    : checkRecoveryCode(platform, person, plain);
}

/** Verifies the second factor of a session before it changes its second factors. */
export async function requireSecondFactor(
  platform: Platform,
  person: MfaUser,
  proof: Proof,
  caller: Caller,
): Promise<SecondFactor | undefined> {
  const methods = await listMethods(platform, person.id);
  if (methods.length === 0) throw new Failure(NotEnrolled);
  if (proof.code === undefined && proof.assertion === undefined) {
    const requirement = await buildMfaRequirement(platform, person.id, methods);
    throw new Failure(SecondFactorRequired, { extra: { ...requirement } });
  }
  throttleGuesses(platform, person, caller);
  return checkSecondFactor(platform, person, proof);
}

/** The data key for secrets of an account, which belongs to no workspace. */
export function accountKey({ keys: dataKeys, homeWorkspace }: Platform): Promise<Buffer> {
  return dataKeys.of(homeWorkspace);
}

/** Binds a sealed secret to its account. */
export function totpContext(userId: string): string {
  return `totp of ${userId}`;
}

async function checkTotp(
  platform: Platform,
  { id }: MfaUser,
  code: string,
): Promise<SecondFactor | undefined> {
  const row = await store.findTotp(platform.db, id);
  if (!row?.enrolled_at) return undefined;
  const secret = open(await accountKey(platform), row.secret, totpContext(id));
  const step = await findTotpStep(secret, code, platform.clock.nowMs());
  if (step === undefined || step <= row.last_step) return undefined;
  return { consume: ({ tx }) => store.consumeStep(tx, id, step) };
}

async function checkRecoveryCode(
  platform: Platform,
  person: MfaUser,
  code: string,
): Promise<SecondFactor | undefined> {
  const { id } = person;
  const hash = recoveryHash(await accountKey(platform), id, code);
  if (!(await store.hasRecoveryCode(platform.db, id, hash))) return undefined;
  return {
    async consume(ctx) {
      const consumed = await store.consumeRecoveryCode(ctx.tx, id, hash);
      if (consumed)
        emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(RecoveryCodeUsed, ref, data));
      return consumed;
    },
  };
}

async function checkAssertion(
  { db, clock, settings }: Platform,
  { id: userId }: MfaUser,
  assertion: Assertion,
): Promise<SecondFactor | undefined> {
  const challenge = parseChallenge(assertion);
  if (challenge === undefined) return undefined;
  const challengeRef = { hash: challengeHash(challenge), userId, purpose: "assert" } as const;
  if (!(await keys.isChallengeOpen(db, challengeRef, clock.now()))) return undefined;
  const credentials = await keys.findKeys(db, userId);
  const key = credentials.find(({ credential_id }) => credential_id === assertion.id);
  const counter =
    key &&
    (await verifyAssertion(assertion, challenge, key, { settings, needsVerification: false }));
  if (!key || counter === undefined) return undefined;
  return {
    consume: async ({ tx, now }) =>
      (await keys.consumeChallenge(tx, challengeRef, now)) &&
      (await keys.recordKeyUse(tx, { id: key.id, counter, now })),
  };
}
