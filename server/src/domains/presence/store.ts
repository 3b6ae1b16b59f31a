import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import {
  PERSON_THINGS_MAX,
  PRESENCE_MS,
  PRESENCES_MAX,
  type PresentSession,
  SESSION_THINGS_MAX,
} from "./presence.ts";

/** One session at one resource. */
export interface PresenceKey {
  readonly thing: string;
  readonly userId: string;
  readonly sessionId: string;
}

export interface NewPresence extends PresenceKey {
  readonly name: string;
  readonly state: string;
  readonly at: string | null;
  readonly now: Date;
}

/**
 * Adds or renews a presence, and deletes expired ones. Returns whether others see a change, or "full" at the
 * workspace's limit. Rows locked by concurrent transactions are skipped.
 */
export async function put(
  tx: Tx,
  { thing, userId, sessionId, name, state, at, now }: NewPresence,
): Promise<"changed" | "same" | "full"> {
  const expiresAt = new Date(now.getTime() + PRESENCE_MS);
  const { rows } = await sql<{ same: boolean }>`
    with mine as (
      select state, place from presence
       where thing = ${thing} and user_id = ${userId} and session_id = ${sessionId}
         and expires_at > ${now}),
    expired as (
      select thing, user_id, session_id from presence
       where expires_at <= ${now}
         and (thing, user_id, session_id) <> (${thing}, ${userId}, ${sessionId})
         for update skip locked),
    surplus as (
      select thing, user_id, session_id from presence
       where user_id = ${userId} and session_id = ${sessionId} and thing <> ${thing}
       order by expires_at desc, thing offset ${SESSION_THINGS_MAX - 1}),
    excess as (
      select thing, user_id, session_id from presence
       where user_id = ${userId} and (thing, session_id) <> (${thing}, ${sessionId})
       order by expires_at desc, thing, session_id offset ${PERSON_THINGS_MAX - 1}),
    forgotten as (
      delete from presence
       where (thing, user_id, session_id) in
             (select * from expired union all select * from surplus union all select * from excess))
    insert into presence as p (thing, user_id, session_id, name, state, place, since, expires_at)
    select ${thing}, ${userId}, ${sessionId}, ${name}, ${state}, ${at}, ${now}, ${expiresAt}
     where exists (select from mine)
        or (select count(*) from presence where expires_at > ${now}) < ${PRESENCES_MAX}::integer
    on conflict (workspace_id, environment, thing, user_id, session_id) do update
       set name = excluded.name, state = excluded.state, place = excluded.place,
           expires_at = excluded.expires_at,
           since = case when p.expires_at > ${now} then p.since else excluded.since end
    returning exists (
      select from mine m where m.state = p.state and m.place is not distinct from p.place) as same`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) return "full";
  return row.same ? "same" : "changed";
}

/** Deletes a presence. Returns false if it did not exist. */
export async function remove(tx: Tx, { thing, userId, sessionId }: PresenceKey): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("presence")
    .where("thing", "=", thing)
    .where("user_id", "=", userId)
    .where("session_id", "=", sessionId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The sessions at a resource. */
export async function listSessions(tx: Tx, thing: string, now: Date): Promise<PresentSession[]> {
  const rows = await tx
    .selectFrom("presence")
    .select(["thing", "user_id", "session_id", "name", "state", "place", "since"])
    .where("thing", "=", thing)
    .where("expires_at", ">", now.toISOString())
    .orderBy("since")
    .execute();
  return rows.map(toSession);
}

/** The sessions at any of these resources. */
export async function listSessionsAt(
  tx: Tx,
  things: readonly string[],
  now: Date,
): Promise<PresentSession[]> {
  const rows = await tx
    .selectFrom("presence")
    .select(["thing", "user_id", "session_id", "name", "state", "place", "since"])
    .where("thing", "in", things)
    .where("expires_at", ">", now.toISOString())
    .orderBy("since")
    .execute();
  return rows.map(toSession);
}

interface PresenceRow {
  readonly thing: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly name: string;
  readonly state: string;
  readonly place: string | null;
  readonly since: string;
}

export function toSession(row: PresenceRow): PresentSession {
  const { thing, user_id: userId, session_id: sessionId, name, state, place: at, since } = row;
  return {
    thing,
    userId,
    sessionId,
    name,
    state: state === "editing" ? "editing" : "viewing",
    at,
    since,
  };
}
