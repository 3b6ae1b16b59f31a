import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import * as events from "./events.ts";
import { BadCode, NotEnrolled, type Proof, TotpEnrolledAlready, TotpNotBegun } from "./factor.ts";
import {
  throttleGuesses,
  type MfaUser,
  personOf,
  sessionOf,
  emitToWorkspaces,
} from "./mfa-user.ts";
import { newRecoveryCodes, recoveryHash } from "./recovery-codes.ts";
import { accountKey, freshFactor, type SecondFactor, totpContext } from "./second-factor.ts";
import * as store from "./store.ts";
import { newTotp, type NewTotp, stepOf } from "./totp.ts";
import * as keys from "./webauthn-store.ts";

interface NewSecret {
  readonly person: MfaUser;
  readonly sealed: Buffer;
  readonly shown: NewTotp["shown"];
}

export async function prepareSecret(platform: Platform, caller: Caller): Promise<NewSecret> {
  const person = personOf(caller, platform);
  const { secret, shown } = await newTotp(sessionOf(caller).user.email);
  const sealed = seal(await accountKey(platform), secret, totpContext(person.id));
  return { person, sealed, shown };
}

/** Keeps a secret that counts for nothing until a code of it is shown. */
export async function beginTotp(
  ctx: WriteContext<typeof events.TotpBegun>,
  { person, sealed, shown }: NewSecret,
): Promise<NewTotp["shown"]> {
  const row = { user_id: person.id, secret: sealed, created_at: ctx.now };
  if (!(await store.putPendingTotp(ctx.tx, row))) throw new Failure(TotpEnrolledAlready);
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(events.TotpBegun, who, data));
  return shown;
}

interface PendingTotp {
  readonly person: MfaUser;
  readonly sealed: Buffer;
  /** The step of the code, when it is right. */
  readonly step: number | undefined;
  readonly codes: NewCodes;
}

export async function examineCode(
  platform: Platform,
  caller: Caller,
  code: string,
): Promise<PendingTotp> {
  const person = personOf(caller, platform);
  throttleGuesses(platform, person, caller);
  const row = await store.findTotp(platform.db, person.id);
  if (!row) throw new Failure(TotpNotBegun);
  if (row.enrolled_at) throw new Failure(TotpEnrolledAlready);
  const key = await accountKey(platform);
  const secret = open(key, row.secret, totpContext(person.id));
  const step = await stepOf(secret, code.replaceAll(/\s/g, ""), platform.clock.nowMs());
  return { person, sealed: row.secret, step, codes: newCodes(key, person) };
}

/** From now on the secret is a second factor; the code that showed it does not work again. */
export async function enrolTotp(
  ctx: WriteContext<typeof events.TotpEnrolled | typeof events.MfaFailed>,
  { person, sealed, step, codes }: PendingTotp,
): Promise<{ enrolled: boolean; recoveryCodes: string[] } | Failure> {
  const { tx, now } = ctx;
  await store.lockUser(tx, person.id);
  const enrolled =
    step !== undefined &&
    (await store.enrolTotp(tx, { userId: person.id, secret: sealed, step, now }));
  if (!enrolled) return failed(ctx, person);
  await store.replaceRecoveryCodes(tx, person.id, codes.hashes);
  await store.recordEnrolment(tx, person.id);
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(events.TotpEnrolled, who, data));
  return { enrolled, recoveryCodes: codes.shown };
}

/** Who asks for a change that needs a second factor, and the one that they show. */
export interface Proven {
  readonly person: MfaUser;
  readonly factor: SecondFactor | undefined;
}

export async function examineProof(
  platform: Platform,
  caller: Caller,
  proof: Proof,
): Promise<Proven> {
  const person = personOf(caller, platform);
  return { person, factor: await freshFactor(platform, person, proof, caller) };
}

type Proving = typeof events.MfaFailed | typeof events.RecoveryCodeUsed;

export async function disableTotp(
  ctx: WriteContext<typeof events.TotpRemoved | Proving>,
  { person, factor }: Proven,
): Promise<void | Failure> {
  await store.lockUser(ctx.tx, person.id);
  if (!(await store.readFactors(ctx.tx, person.id)).totp) throw new Failure(NotEnrolled);
  if (!(await factor?.consume(ctx))) return failed(ctx, person);
  await store.deleteTotp(ctx.tx, person.id);
  await store.recordEnrolment(ctx.tx, person.id);
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(events.TotpRemoved, who, data));
}

export async function removeKey(
  ctx: WriteContext<typeof events.WebauthnRemoved | Proving>,
  id: string,
  { person, factor }: Proven,
): Promise<void | Failure> {
  await store.lockUser(ctx.tx, person.id);
  const key = await keys.getKey(ctx.tx, person.id, id);
  if (!key) throw new Failure(NotFound);
  if (!(await factor?.consume(ctx))) return failed(ctx, person);
  await keys.deleteKey(ctx.tx, id);
  await store.recordEnrolment(ctx.tx, person.id);
  emitToWorkspaces(ctx, person, (who, data) =>
    ctx.emit(events.WebauthnRemoved, who, { ...data, credentialId: id, name: key.name }),
  );
}

export async function renewRecoveryCodes(
  ctx: WriteContext<typeof events.RecoveryCodesRenewed | Proving>,
  { person, factor, codes }: Proven & { readonly codes: NewCodes },
): Promise<{ recoveryCodes: string[] } | Failure> {
  await store.lockUser(ctx.tx, person.id);
  if (!(await factor?.consume(ctx))) return failed(ctx, person);
  await store.replaceRecoveryCodes(ctx.tx, person.id, codes.hashes);
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(events.RecoveryCodesRenewed, who, data));
  return { recoveryCodes: codes.shown };
}

export interface NewCodes {
  readonly shown: string[];
  readonly hashes: readonly Buffer[];
}

export function newCodes(key: Buffer, { id }: MfaUser): NewCodes {
  const shown = newRecoveryCodes();
  return { shown, hashes: shown.map((code) => recoveryHash(key, id, code)) };
}

function failed(ctx: WriteContext<typeof events.MfaFailed>, person: MfaUser): Failure {
  emitToWorkspaces(ctx, person, (who, data) => ctx.emit(events.MfaFailed, who, data));
  return new Failure(BadCode);
}
