import type { Insertable, Selectable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { Failure, NotFound, Unauthenticated } from "#kernel/operation/failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../../tables.ts";
import type { ApiToken } from "./token.ts";

type Row = Selectable<Tables["api_tokens"]>;

export async function insert(tx: Tx, row: Insertable<Tables["api_tokens"]>): Promise<ApiToken> {
  return toToken(
    await tx.insertInto("api_tokens").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function list(
  tx: Tx,
  userId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<ApiToken[]> {
  const rows = await tx
    .selectFrom("api_tokens")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", ">", page.after)
    .orderBy("id")
    .limit(page.limit)
    .execute();
  return rows.map(toToken);
}

/** Locks a token against revocation until the transaction ends; false if it has been revoked. */
export async function lockToken(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("api_tokens")
    .select("id")
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads the calling token; throws if it was revoked after authentication. */
export async function getCallingToken(tx: Tx, id: string): Promise<ApiToken> {
  const row = await tx.selectFrom("api_tokens").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw new Failure(Unauthenticated);
  return toToken(row);
}

/** Deletes and returns the token; of two concurrent calls, the second gets NotFound. */
export async function remove(
  tx: Tx,
  userId: string,
  id: string,
): Promise<ApiToken & { readonly lifetimeDays: number | null }> {
  const row = await tx
    .deleteFrom("api_tokens")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return { ...toToken(row), lifetimeDays: row.lifetime_days };
}

/** Deletes all tokens of an account in this workspace; resolves to their number. */
export async function removeAll(tx: Tx, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("api_tokens")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The scopes of a token, and its account. */
export async function findScopes(
  tx: Tx,
  id: string,
): Promise<
  { readonly userId: string; readonly name: string; readonly scopes: readonly string[] } | undefined
> {
  const row = await tx
    .selectFrom("api_tokens")
    .select(["user_id", "name", "scopes"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row && { userId: row.user_id, name: row.name, scopes: row.scopes };
}

/** The account of a token in this workspace. */
export async function findHolder(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("api_tokens")
    .select("user_id")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.user_id;
}

/** A token with the person for whom it acts. */
export type MemberTokenRow = Row & { readonly user_name: string; readonly email: string };

export function toMemberToken(row: MemberTokenRow) {
  const { user_id: id, user_name: name, email } = row;
  return { ...toToken(row), user: { id, name, email } };
}

export interface TokenWithOwner {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly email: string;
  readonly scopes: readonly string[];
  readonly ip_allowlist: readonly string[] | null;
  readonly expires_at: string | null;
}

const FIND_LIVE = `
  select t.id, t.name, t.workspace_id, t.user_id, u.name as user_name, u.email, t.scopes,
         t.ip_allowlist, t.expires_at
    from api_tokens t join users u on u.id = t.user_id
   where (t.expires_at is null or t.expires_at > $2) and u.status = 'active'`;
const FIND_BY_HASH = `${FIND_LIVE} and t.token_hash = $1`;
const FIND_BY_ID = `${FIND_LIVE} and t.id = $1`;

export async function findByHash(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<TokenWithOwner | undefined> {
  return (await db.system<TokenWithOwner>(FIND_BY_HASH, [tokenHash, now]))[0];
}

export async function findById(
  db: Database,
  id: string,
  now: Date,
): Promise<TokenWithOwner | undefined> {
  return (await db.system<TokenWithOwner>(FIND_BY_ID, [id, now]))[0];
}

const TOUCH = `
  update api_tokens t set last_used_at = u.at
    from unnest($1::text[], $2::timestamptz[]) as u (id, at)
   where t.id = u.id and (t.last_used_at is null or t.last_used_at < u.at)`;

export async function touch(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  await db.system(TOUCH, [[...uses.keys()], [...uses.values()]]);
}

function toToken(row: Row): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    ipAllowlist: row.ip_allowlist,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revision: row.revision,
  };
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** An expired token stays listed for this long, so that users can see why a program is rejected. */
const EXPIRED_RETENTION_DAYS = 90;

/** The outer condition is rechecked after a lock wait: a token rotated in the meantime is valid again. */
const PRUNE = `
  delete from api_tokens
   where expires_at < $1
     and id in (select id from api_tokens where expires_at < $1 order by expires_at limit $2)`;

/** Deletes tokens of all workspaces that expired long ago, and so runs as the system. */
export const tokenRetentionJob = retentionJob({
  kind: "identity.prune_api_tokens",
  everyMs: HOUR_MS,
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, PRUNE, [
      new Date(clock.nowMs() - EXPIRED_RETENTION_DAYS * DAY_MS),
      rowsMax,
    ]),
});
