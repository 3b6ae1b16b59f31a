import type { Insertable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../../tables.ts";
import { KNOWN_ADDRESS_MS } from "./throttle.ts";

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly expires_at: string;
  /** The only workspace in which the session is valid. */
  readonly confined_to: string | null;
  /** Workspaces that only their own single sign-on can open, so they are closed to other sessions. */
  readonly closed: readonly string[];
  readonly is_operator: boolean;
}

const SESSION = `
  select s.id, s.user_id, u.email, u.name, s.expires_at, s.confined_to,
         array(select m.workspace_id from memberships m
                 left join sso_members o on o.workspace_id = m.workspace_id and o.user_id = m.user_id
                 left join sso_configurations c on c.workspace_id = m.workspace_id
                 left join workspace_imports i on i.workspace_id = m.workspace_id
                where m.user_id = s.user_id and s.confined_to is null
                  and (o.sso_only and (c.workspace_id is not null or u.email_verified_at is null)
                    or c.enforce_sso and c.set_up_by is not null
                       and (m.created_at < u.email_verified_at or m.created_at <= i.started_at))) as closed,
         exists (select from operators o where o.user_id = u.id) as is_operator
    from sessions s join users u on u.id = s.user_id
   where s.token_hash = $1 and s.expires_at > $2 and u.status = 'active'`;

export async function findSession(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<SessionRow | undefined> {
  return (await db.system<SessionRow>(SESSION, [tokenHash, now]))[0];
}

/** A session as shown to its person. */
export interface OpenSessionRow {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly address: string;
  readonly client: string;
  readonly workspaceId?: string;
}

/** Lists the valid sessions of an account, newest first; with a workspace, only those limited to it. */
export async function listOpen(
  tx: Tx,
  userId: string,
  now: Date,
  page: {
    readonly before: string | undefined;
    readonly limit: number;
    readonly confinedTo?: string | undefined;
  },
): Promise<OpenSessionRow[]> {
  let select = tx
    .selectFrom("sessions")
    .select(["id", "created_at", "last_used_at", "expires_at", "address", "client", "confined_to"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", now.toISOString())
    .orderBy("id", "desc")
    .limit(page.limit);
  if (page.before !== undefined) select = select.where("id", "<", page.before);
  if (page.confinedTo !== undefined) select = select.where("confined_to", "=", page.confinedTo);
  const rows = await select.execute();
  return rows.map(({ id, created_at, last_used_at, expires_at, address, client, confined_to }) => ({
    id,
    createdAt: created_at,
    lastUsedAt: last_used_at,
    expiresAt: expires_at,
    address,
    client,
    ...(confined_to !== null && { workspaceId: workspaceIdOf(confined_to) }),
  }));
}

/** Ends one session of an account; false if it has no session with this id. */
export async function deleteOwnSession(tx: Tx, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends the sessions of an account that are valid for one workspace only; resolves to their number. */
export async function deleteConfinedSessions(
  tx: Tx,
  userId: string,
  confinedTo: string,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("confined_to", "=", confinedTo)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Saved per minute, so that not every request writes to the session. */
const TOUCH = `
  update sessions s set last_used_at = u.at
    from unnest($1::text[], $2::timestamptz[]) as u (id, at)
   where s.id = u.id and (s.last_used_at is null or s.last_used_at < u.at - interval '1 minute')`;

export async function touchSessions(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  await db.system(TOUCH, [[...uses.keys()], [...uses.values()]]);
}

/** Locks a session against deletion until the transaction ends; false if it has ended. */
export async function lockSession(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertSession(tx: Tx, row: Insertable<Tables["sessions"]>): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

/** Ends all sessions of an account except the current one; resolves to their number. */
export async function deleteSessions(tx: Tx, userId: string, exceptId?: string): Promise<number> {
  let deletion = tx.deleteFrom("sessions").where("user_id", "=", userId);
  if (exceptId !== undefined) deletion = deletion.where("id", "<>", exceptId);
  return Number((await deletion.executeTakeFirst()).numDeletedRows);
}

/** Deletes the known login addresses of an account. */
export async function deleteKnownAddresses(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("known_addresses").where("user_id", "=", userId).execute();
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("sessions").where("id", "=", id).execute();
}

const PRUNE_EVERY_MS = 600_000;

const SESSIONS = `
  delete from sessions where id in
    (select id from sessions where expires_at < $1 order by expires_at limit $2)`;

/** Deletes expired sessions. */
export const sessionRetentionJob = retentionJob({
  kind: "identity.prune_sessions",
  everyMs: PRUNE_EVERY_MS,
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, SESSIONS, [clock.now(), rowsMax]),
});

/** The outer condition is rechecked after a lock wait: the address may have been used again in the meantime. */
const ADDRESSES = `
  delete from known_addresses
   where seen_at <= $1
     and ctid = any (array(
           select ctid from known_addresses where seen_at <= $1 order by seen_at limit $2))`;

/** Deletes addresses whose last login is so old that they count as unknown. */
export const addressRetentionJob = retentionJob({
  kind: "identity.prune_known_addresses",
  everyMs: PRUNE_EVERY_MS,
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, ADDRESSES, [new Date(clock.nowMs() - KNOWN_ADDRESS_MS), rowsMax]),
});
