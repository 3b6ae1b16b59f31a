import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { StoredToken } from "./embed-token.ts";

/* The columns have the names of the fields. */
const SHOWN = `
  id, app_id as "appId", environment, page_id as "pageId", context, allowed_origins as "allowedOrigins",
  created_by as "createdBy", permissions, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", revision`;

export async function find(tx: Tx, id: string): Promise<StoredToken | undefined> {
  const [row] = await queryRows(tx, `select ${SHOWN} from app_embed_tokens where id = $1`, [id]);
  return row as StoredToken | undefined;
}

/** Locks the row, so that it is revoked once. */
export async function lock(tx: Tx, appId: string, id: string): Promise<StoredToken> {
  const text = `select ${SHOWN} from app_embed_tokens where app_id = $1 and id = $2 for update`;
  const [row] = await queryRows(tx, text, [appId, id]);
  if (!row) throw new Failure(NotFound);
  return row as unknown as StoredToken;
}

/** When a token was made, and its id. Times are what an index is read by: ids are not, under row security. */
export type Mark = readonly [createdAt: string, id: string];

/** The newest first, from before one of them. */
export async function list(
  tx: Tx,
  appId: string,
  { before, limit }: { readonly before: Mark | undefined; readonly limit: number },
): Promise<StoredToken[]> {
  const text = `
    select ${SHOWN} from app_embed_tokens
     where app_id = $1 ${before ? "and created_at <= $3 and (created_at, id) < ($3, $4)" : ""}
     order by created_at desc, id desc limit $2`;
  const rows = await queryRows(tx, text, [appId, limit, ...(before ?? [])]);
  return rows as unknown as StoredToken[];
}

const INSERT = `
  insert into app_embed_tokens (id, app_id, page_id, context, allowed_origins, created_by, permissions,
                                expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export function insert(ctx: WriteContext<never>, token: StoredToken): void {
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

/** A token is good for a day; its row is kept for those who look back a week. */
const KEPT_MS = 8 * 86_400_000;

/** At a time, which is many more than the one that is made meanwhile. */
const PRUNED_MAX = 100;

/** Deletes some of those of an app that were made so long ago that they can't be good for anything. */
export function prune(ctx: WriteContext<never>, appId: string): void {
  const oldest = new Date(ctx.now.getTime() - KEPT_MS);
  const text = `
    delete from app_embed_tokens where id in
      (select id from app_embed_tokens where app_id = $1 and created_at < $2
        order by created_at limit $3 for update skip locked)`;
  void ctx.send(text, [appId, oldest, PRUNED_MAX]);
}

export function revoke(ctx: WriteContext<never>, id: string): void {
  const text = "update app_embed_tokens set revoked_at = $2, revision = revision + 1 where id = $1";
  void ctx.send(text, [id, ctx.now]);
}
