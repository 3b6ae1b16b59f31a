import { CompiledQuery } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";

export interface Factors {
  readonly totp: boolean;
  readonly webauthn: boolean;
  readonly recoveryCodesLeft: number;
}

const FACTORS = `
  select exists (select from mfa_totp where user_id = $1 and enrolled_at is not null) as totp,
         exists (select from webauthn_credentials where user_id = $1) as webauthn,
         (select count(*) from mfa_recovery_codes where user_id = $1) as "recoveryCodesLeft"`;
const NO_FACTORS: Factors = { totp: false, webauthn: false, recoveryCodesLeft: 0 };

/** Runs as the system: before the login no workspace is known. */
export async function findFactors(db: Database, userId: string): Promise<Factors> {
  return (await db.system<Factors & Record<string, unknown>>(FACTORS, [userId]))[0] ?? NO_FACTORS;
}

export async function readFactors(tx: Tx, userId: string): Promise<Factors> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(FACTORS, [userId]));
  return (rows[0] as Factors | undefined) ?? NO_FACTORS;
}

/**
 * Returns whether a workspace of the caller enforces a second factor. Outside a workspace, all their workspaces are
 * visible.
 */
export async function isMfaEnforced(tx: Tx): Promise<boolean> {
  const rows = await tx
    .selectFrom("workspaces")
    .select("key")
    .where("enforce_mfa", "=", true)
    .limit(1)
    .execute();
  return rows.length > 0;
}

export async function setMfaEnforced(tx: Tx, key: string, enforced: boolean): Promise<void> {
  await tx
    .updateTable("workspaces")
    .set({ enforce_mfa: enforced })
    .where("key", "=", key)
    .execute();
}

/** Locks the account, because concurrent factor changes could leave a wrong `mfa_enrolled`. */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  await tx.selectFrom("users").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
}

/** Updates `mfa_enrolled`; deletes the recovery codes with the last factor. */
export async function recordEnrolment(tx: Tx, userId: string): Promise<void> {
  const { totp, webauthn } = await readFactors(tx, userId);
  const enrolled = totp || webauthn;
  await tx.updateTable("users").set({ mfa_enrolled: enrolled }).where("id", "=", userId).execute();
  if (!enrolled) await deleteRecoveryCodes(tx, userId);
}

export interface TotpRow {
  readonly secret: Buffer;
  readonly last_step: number;
  readonly enrolled_at: string | null;
}

export async function findTotp(db: Database, userId: string): Promise<TotpRow | undefined> {
  const rows = await db.system<TotpRow & Record<string, unknown>>(
    "select secret, last_step, enrolled_at from mfa_totp where user_id = $1",
    [userId],
  );
  return rows[0];
}

/** Stores a pending secret and replaces an earlier one; false if one is already enrolled. */
export async function putPendingTotp(
  tx: Tx,
  row: { readonly user_id: string; readonly secret: Buffer; readonly created_at: Date },
): Promise<boolean> {
  const rows = await tx
    .insertInto("mfa_totp")
    .values(row)
    .onConflict((on) =>
      on
        .column("user_id")
        .doUpdateSet({ secret: row.secret, created_at: row.created_at })
        .where("mfa_totp.enrolled_at", "is", null),
    )
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

/** Enrolls the pending secret; false if it is no longer pending. */
export async function enrolTotp(
  tx: Tx,
  { userId, secret, step, now }: { userId: string; secret: Buffer; step: number; now: Date },
): Promise<boolean> {
  const rows = await tx
    .updateTable("mfa_totp")
    .set({ enrolled_at: now, last_step: step })
    .where("user_id", "=", userId)
    .where("secret", "=", secret)
    .where("enrolled_at", "is", null)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

/** Consumes a time step; false if it was already used. */
export async function consumeStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const rows = await tx
    .updateTable("mfa_totp")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("last_step", "<", step)
    .where("enrolled_at", "is not", null)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

export async function deleteTotp(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx
    .deleteFrom("mfa_totp")
    .where("user_id", "=", userId)
    .where("enrolled_at", "is not", null)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

/** Deletes all second factors of an account, its recovery codes and pending challenges. */
export async function deleteFactors(tx: Tx, userId: string): Promise<number> {
  await lockUser(tx, userId);
  const { numDeletedRows: totp } = await tx
    .deleteFrom("mfa_totp")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const { numDeletedRows: keys } = await tx
    .deleteFrom("webauthn_credentials")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  await tx.deleteFrom("webauthn_challenges").where("user_id", "=", userId).execute();
  await recordEnrolment(tx, userId);
  return Number(totp + keys);
}

export async function hasRecoveryCode(
  db: Database,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const rows = await db.system(
    "select from mfa_recovery_codes where user_id = $1 and code_hash = $2",
    [userId, hash],
  );
  return rows.length > 0;
}

export async function consumeRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const rows = await tx
    .deleteFrom("mfa_recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", hash)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  await tx
    .insertInto("mfa_recovery_codes")
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute();
}

async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("mfa_recovery_codes").where("user_id", "=", userId).execute();
}

const PRUNE = `
  delete from webauthn_challenges where challenge_hash in
    (select challenge_hash from webauthn_challenges
      where expires_at < $1 order by expires_at limit $2)`;

/** Deletes expired challenges. */
export const challengeRetentionJob = retentionJob({
  kind: "identity.prune_webauthn_challenges",
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, PRUNE, [clock.now(), rowsMax]),
});
