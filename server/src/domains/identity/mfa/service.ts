import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import * as events from "./events.ts";
import { BadCode, NotEnrolled, type Proof, TotpEnrolledAlready, TotpNotBegun } from "./factor.ts";
import {
  throttleGuesses,
  type MfaUser,
  toMfaUser,
  requireSession,
  emitToWorkspaces,
} from "./mfa-user.ts";
import { newRecoveryCodes, recoveryHash } from "./recovery-codes.ts";
import {
  accountKey,
  requireSecondFactor,
  type SecondFactor,
  totpContext,
} from "./second-factor.ts";
import * as store from "./store.ts";
import { newTotp, type NewTotp, findTotpStep } from "./totp.ts";
import * as keys from "./webauthn-store.ts";

interface NewSecret {
  readonly person: MfaUser;
  readonly sealed: Buffer;
  readonly enrolment: NewTotp["enrolment"];
}

export async function prepareTotp(platform: Platform, caller: Caller): Promise<NewSecret> {
  const person = toMfaUser(caller, platform);
  const { secret, enrolment } = await newTotp(requireSession(caller).user.email);
  const sealed = seal(await accountKey(platform), secret, totpContext(person.id));
  return { person, sealed, enrolment };
}

/** Stores a pending secret, which becomes a second factor when its first code is verified. */
export async function startTotpEnrolment(
  ctx: WriteContext<typeof events.TotpBegun>,
  { person, sealed, enrolment }: NewSecret,
): Promise<NewTotp["enrolment"]> {
  const row = { user_id: person.id, secret: sealed, created_at: ctx.now };
  if (!(await store.putPendingTotp(ctx.tx, row))) throw new Failure(TotpEnrolledAlready);
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(events.TotpBegun, ref, data));
  return enrolment;
}

interface PendingTotp {
  readonly person: MfaUser;
  readonly sealed: Buffer;
  /** The time step of the code; undefined when the code is wrong. */
  readonly step: number | undefined;
  readonly codes: NewCodes;
}

export async function prepareEnrolment(
  platform: Platform,
  caller: Caller,
  code: string,
): Promise<PendingTotp> {
  const person = toMfaUser(caller, platform);
  throttleGuesses(platform, person, caller);
  const row = await store.findTotp(platform.db, person.id);
  if (!row) throw new Failure(TotpNotBegun);
  if (row.enrolled_at) throw new Failure(TotpEnrolledAlready);
  const key = await accountKey(platform);
  const secret = open(key, row.secret, totpContext(person.id));
  const step = await findTotpStep(secret, code.replaceAll(/\s/g, ""), platform.clock.nowMs());
  return { person, sealed: row.secret, step, codes: newCodes(key, person) };
}

/** Activates the pending secret; the code that verified it is consumed. */
export async function completeTotpEnrolment(
  ctx: WriteContext<typeof events.TotpEnrolled | typeof events.MfaFailed>,
  { person, sealed, step, codes }: PendingTotp,
): Promise<{ enrolled: boolean; recoveryCodes: string[] } | Failure> {
  const { tx, now } = ctx;
  await store.lockUser(tx, person.id);
  const enrolled =
    step !== undefined &&
    (await store.enrolTotp(tx, { userId: person.id, secret: sealed, step, now }));
  if (!enrolled) return recordFailure(ctx, person);
  await store.replaceRecoveryCodes(tx, person.id, codes.hashes);
  await store.recordEnrolment(tx, person.id);
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(events.TotpEnrolled, ref, data));
  return { enrolled, recoveryCodes: codes.enrolment };
}

/** The account that changes its second factors, and the factor that it proved. */
export interface CheckedProof {
  readonly person: MfaUser;
  readonly factor: SecondFactor | undefined;
}

export async function prepareProof(
  platform: Platform,
  caller: Caller,
  proof: Proof,
): Promise<CheckedProof> {
  const person = toMfaUser(caller, platform);
  return { person, factor: await requireSecondFactor(platform, person, proof, caller) };
}

type ProofEvents = typeof events.MfaFailed | typeof events.RecoveryCodeUsed;

export async function removeTotp(
  ctx: WriteContext<typeof events.TotpRemoved | ProofEvents>,
  { person, factor }: CheckedProof,
): Promise<void | Failure> {
  await store.lockUser(ctx.tx, person.id);
  if (!(await store.readFactors(ctx.tx, person.id)).totp) throw new Failure(NotEnrolled);
  if (!(await factor?.consume(ctx))) return recordFailure(ctx, person);
  await store.deleteTotp(ctx.tx, person.id);
  await store.recordEnrolment(ctx.tx, person.id);
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(events.TotpRemoved, ref, data));
}

export async function removeKey(
  ctx: WriteContext<typeof events.WebauthnRemoved | ProofEvents>,
  id: string,
  { person, factor }: CheckedProof,
): Promise<void | Failure> {
  await store.lockUser(ctx.tx, person.id);
  const key = await keys.getKey(ctx.tx, person.id, id);
  if (!key) throw new Failure(NotFound);
  if (!(await factor?.consume(ctx))) return recordFailure(ctx, person);
  await keys.deleteKey(ctx.tx, id);
  await store.recordEnrolment(ctx.tx, person.id);
  emitToWorkspaces(ctx, person, (ref, data) =>
    ctx.emit(events.WebauthnRemoved, ref, { ...data, credentialId: id, name: key.name }),
  );
}

export async function replaceRecoveryCodes(
  ctx: WriteContext<typeof events.RecoveryCodesRenewed | ProofEvents>,
  { person, factor, codes }: CheckedProof & { readonly codes: NewCodes },
): Promise<{ recoveryCodes: string[] } | Failure> {
  await store.lockUser(ctx.tx, person.id);
  if (!(await factor?.consume(ctx))) return recordFailure(ctx, person);
  await store.replaceRecoveryCodes(ctx.tx, person.id, codes.hashes);
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(events.RecoveryCodesRenewed, ref, data));
  return { recoveryCodes: codes.enrolment };
}

export interface NewCodes {
  readonly enrolment: string[];
  readonly hashes: readonly Buffer[];
}

export function newCodes(key: Buffer, { id }: MfaUser): NewCodes {
  const enrolment = newRecoveryCodes();
  return { enrolment, hashes: enrolment.map((code) => recoveryHash(key, id, code)) };
}

function recordFailure(ctx: WriteContext<typeof events.MfaFailed>, person: MfaUser): Failure {
  emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(events.MfaFailed, ref, data));
  return new Failure(BadCode);
}
