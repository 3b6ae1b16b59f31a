import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { StoredEmbedToken } from "./embed-token.ts";

/* The columns have the names of the fields. */
const COLUMNS = `
  id, app_id as "appId", environment, page_id as "pageId", context, allowed_origins as "allowedOrigins",
  created_by as "createdBy", permissions, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", revision`;

export async function find(tx: Tx, id: string): Promise<StoredEmbedToken | undefined> {
  const [row] = await queryRows(tx, `select ${COLUMNS} from app_embed_tokens where id = $1`, [id]);
  return row as StoredEmbedToken | undefined;
}

/** Locks the row until the transaction ends, so that the token is revoked only once. */
export async function lock(tx: Tx, appId: string, id: string): Promise<StoredEmbedToken> {
  const text = `select ${COLUMNS} from app_embed_tokens where app_id = $1 and id = $2 for update`;
  const [row] = await queryRows<StoredEmbedToken>(tx, text, [appId, id]);
  if (!row) throw new Failure(NotFound);
  return row;
}

/** Sorted by time before id, because under row-level security the index is read by time. */
export type TokenListPosition = readonly [createdAt: string, id: string];

/** Lists tokens, newest first, before a position. */
export async function list(
  tx: Tx,
  appId: string,
  { before, limit }: { readonly before: TokenListPosition | undefined; readonly limit: number },
): Promise<StoredEmbedToken[]> {
  const text = `
    select ${COLUMNS} from app_embed_tokens
     where app_id = $1 ${before ? "and created_at <= $3 and (created_at, id) < ($3, $4)" : ""}
     order by created_at desc, id desc limit $2`;
  return queryRows<StoredEmbedToken>(tx, text, [appId, limit, ...(before ?? [])]);
}

const INSERT = `
  insert into app_embed_tokens (id, app_id, page_id, context, allowed_origins, created_by, permissions,
                                expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export function insert(ctx: WriteContext<never>, token: StoredEmbedToken): void {
  void ctx.send(INSERT, [
    token.id,
    token.appId,
    token.pageId,
    JSON.stringify(token.context),
    [...token.allowedOrigins],
    token.createdBy,
    token.permissions && [...token.permissions],
    token.expiresAt,
    ctx.now,
  ]);
}

/** A token is valid for at most a day; its row is kept a week longer for the list. */
const TOKEN_RETENTION_MS = 8 * 86_400_000;

/** Many more than the one token that each call creates. */
const PRUNE_ROWS_MAX = 100;

/** Deletes some of an app's tokens that expired long ago. */
export function deleteExpired(ctx: WriteContext<never>, appId: string): void {
  const oldest = new Date(ctx.now.getTime() - TOKEN_RETENTION_MS);
  const text = `
    delete from app_embed_tokens where id in
      (select id from app_embed_tokens where app_id = $1 and created_at < $2
        order by created_at limit $3 for update skip locked)`;
  void ctx.send(text, [appId, oldest, PRUNE_ROWS_MAX]);
}

export function revoke(ctx: WriteContext<never>, id: string): void {
  const text = "update app_embed_tokens set revoked_at = $2, revision = revision + 1 where id = $1";
  void ctx.send(text, [id, ctx.now]);
}

/** Revokes the valid tokens that an account created here; resolves to their number. */
export async function revokeUserTokens(
  { tx, now }: Pick<WriteContext<never>, "tx" | "now">,
  userId: string,
): Promise<number> {
  const text = `
    update app_embed_tokens set revoked_at = $2, revision = revision + 1
     where created_by = $1 and revoked_at is null and expires_at > $2 returning id`;
  return (await queryRows(tx, text, [userId, now])).length;
}
