import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, type LogFilter, toEvent } from "./event-log.ts";

/**
 * The acts of accounts, such as logins, are logged once and not in each workspace of a person. These are those of
 * the members of the transaction's workspace that the log of another one holds, newest first; see migrations
 * 0044 and 0045. Each is shown as one of this workspace: where else a person belongs is not for it to know. Of a
 * workspace that was imported they begin with that: since when somebody belongs to it is only what its archive said.
 */
export async function queryAccountEvents(
  tx: Tx,
  filter: LogFilter,
  limit: number,
): Promise<RecordedEvent[]> {
  const { before, type, actorId, resourceType, resourceId, from, to } = filter;
  const { rows } = await sql<EventRow & { here: string }>`
    select ${sql.raw(EVENT_COLUMNS)}, current_setting('millrace.workspace') as here
      from account_events(
        ${before?.epoch ?? null}::smallint, ${before ? String(before.xid) : null}::xid8,
        ${before?.seq ?? null}::bigint, ${type ?? null}::text, ${actorId ?? null}::text,
        ${resourceType ?? null}::text, ${resourceId ?? null}::text,
        greatest(${from ?? null}::timestamptz, (select i.started_at from workspace_imports i)),
        ${to ?? null}::timestamptz, ${limit}::integer) e`.execute(tx);
  return rows.map(({ here, ...row }) => toEvent({ ...row, workspace_id: here }));
}

/** The event of an account at this position. */
export async function findAccountEvent(
  tx: Tx,
  position: LogPosition,
): Promise<RecordedEvent | undefined> {
  const before = { ...position, seq: position.seq + 1 };
  const [found] = await queryAccountEvents(tx, { before }, 1);
  return found?.id === eventIdOf(position) ? found : undefined;
}

/** True for the types that the index of such events holds. */
export function isAccountEventType(type: string): boolean {
  return type.startsWith("audit.auth.") || type.startsWith("audit.mfa.");
}
