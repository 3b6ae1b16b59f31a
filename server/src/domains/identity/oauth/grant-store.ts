import type { Insertable, Selectable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../../tables.ts";

export type GrantRow = Selectable<Tables["oauth_grants"]>;

export async function insertGrant(tx: Tx, row: Insertable<Tables["oauth_grants"]>): Promise<void> {
  await tx.insertInto("oauth_grants").values(row).execute();
}

/** Locks the grant until the transaction ends: of two exchanges of one code, the second finds it used. */
export function lockByCode(tx: Tx, codeHash: Buffer): Promise<GrantRow | undefined> {
  return tx
    .selectFrom("oauth_grants")
    .selectAll()
    .where("code_hash", "=", codeHash)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks a grant against revocation until the transaction ends; false if it has been revoked. */
export async function lockGrant(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("oauth_grants")
    .select("id")
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export interface TokenRow {
  readonly grant: GrantRow;
  readonly token: Selectable<Tables["oauth_tokens"]>;
}

/** Locks the token's grant first, which serializes all changes to the grant's tokens. */
export async function lockByToken(tx: Tx, tokenHash: Buffer): Promise<TokenRow | undefined> {
  const grant = await tx
    .selectFrom("oauth_grants")
    .selectAll()
    .where("id", "in", (from) =>
      from.selectFrom("oauth_tokens").select("grant_id").where("token_hash", "=", tokenHash),
    )
    .forUpdate()
    .executeTakeFirst();
  if (!grant) return undefined;
  const token = await tx
    .selectFrom("oauth_tokens")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return token && { grant, token };
}

export async function markCodeUsed(tx: Tx, grantId: string, now: Date): Promise<void> {
  await tx
    .updateTable("oauth_grants")
    .set({ code_used_at: now })
    .where("id", "=", grantId)
    .execute();
}

export async function markTokenUsed(tx: Tx, tokenId: string, now: Date): Promise<void> {
  await tx.updateTable("oauth_tokens").set({ used_at: now }).where("id", "=", tokenId).execute();
}

/** Ends every token of the grant. */
export async function revokeGrant(tx: Tx, grantId: string, now: Date): Promise<void> {
  await tx.updateTable("oauth_grants").set({ revoked_at: now }).where("id", "=", grantId).execute();
}

/** Revokes all grants of an account in this workspace; resolves to their number. */
export async function revokeUserGrants(tx: Tx, userId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("oauth_grants")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deleteToken(tx: Tx, tokenId: string): Promise<void> {
  await tx.deleteFrom("oauth_tokens").where("id", "=", tokenId).execute();
}

export async function insertTokens(
  tx: Tx,
  rows: readonly Insertable<Tables["oauth_tokens"]>[],
): Promise<void> {
  await tx.insertInto("oauth_tokens").values(rows).execute();
}

export interface Granter {
  readonly id: string;
  readonly name: string;
  /** The key of the workspace that the consent is for. */
  readonly workspace: string;
}

/** Finds the active account behind a code or token, even of a revoked grant. */
export async function findGranter(db: Database, hash: Buffer): Promise<Granter | undefined> {
  const [row] = await db.system<Granter>(
    `select u.id, u.name, g.workspace_id as workspace
       from oauth_grants g join users u on u.id = g.user_id
      where u.status = 'active' and g.id in
        (select id from oauth_grants where code_hash = $1
          union all
         select grant_id from oauth_tokens where token_hash = $1)`,
    [hash],
  );
  return row;
}

/** A valid token, with everything that its use depends on. */
export interface LiveToken {
  readonly kind: "access" | "refresh";
  readonly scopes: readonly string[];
  readonly expires_at: string;
  readonly created_at: string;
  readonly grant_id: string;
  readonly client_id: string;
  /** The name of the application. */
  readonly application: string;
  readonly allowed_scopes: readonly string[];
  readonly workspace: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
}

const LIVE_TOKENS = `
  select t.kind, t.scopes, t.expires_at, t.created_at, t.grant_id, g.client_id, a.allowed_scopes,
         a.name as application, g.workspace_id as workspace, g.user_id, u.email, u.name
    from oauth_tokens t
    join oauth_grants g on g.id = t.grant_id
    join oauth_applications a on a.client_id = g.client_id
    join users u on u.id = g.user_id
   where t.expires_at > $2 and t.used_at is null and g.revoked_at is null and u.status = 'active'`;
const FIND_LIVE_TOKEN = `${LIVE_TOKENS} and t.token_hash = $1`;
const FIND_NEWEST_TOKEN = `${LIVE_TOKENS} and t.grant_id = $1 order by t.created_at desc, t.id desc limit 1`;

export async function findLiveToken(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<LiveToken | undefined> {
  return (await db.system<LiveToken>(FIND_LIVE_TOKEN, [tokenHash, now]))[0];
}

/** The newest usable token of a grant. */
export async function findNewestToken(
  db: Database,
  grantId: string,
  now: Date,
): Promise<LiveToken | undefined> {
  return (await db.system<LiveToken>(FIND_NEWEST_TOKEN, [grantId, now]))[0];
}

const PRUNE_EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;
const REGISTRATION_UNUSED_MS = 24 * HOUR_MS;

const TOKENS = `
  delete from oauth_tokens where id in
    (select id from oauth_tokens where expires_at < $1 order by expires_at limit $2)`;
/** Deletes self-registered clients without consents; a returning client registers again. */
const REGISTRATIONS = `
  delete from oauth_applications where client_id in
    (select a.client_id from oauth_applications a
      where a.workspace_id is null and a.created_at < $1
        and not exists (select from oauth_grants g where g.client_id = a.client_id)
      order by a.created_at limit $2)`;
const GRANTS = `
  delete from oauth_grants where id in
    (select g.id from oauth_grants g
      where g.code_expires_at < $1
        and not exists (select from oauth_tokens t where t.grant_id = g.id)
      order by g.created_at limit $2)`;

/**
 * Deletes expired tokens, and grants without tokens; an hour late, when no valid consent form could insert such a
 * grant again.
 */
export const grantRetentionJob = retentionJob({
  kind: "identity.prune_oauth_grants",
  everyMs: PRUNE_EVERY_MS,
  async remove({ db, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - HOUR_MS);
    const tokens = await deleteAcrossWorkspaces(db, TOKENS, [before, rowsMax]);
    const grants = await deleteAcrossWorkspaces(db, GRANTS, [before, rowsMax]);
    const unusedSince = new Date(clock.nowMs() - REGISTRATION_UNUSED_MS);
    const clients = await deleteAcrossWorkspaces(db, REGISTRATIONS, [unusedSince, rowsMax]);
    return Math.max(tokens, grants, clients);
  },
});
