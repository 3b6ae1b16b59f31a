import { sql } from "kysely";
import type { Tx } from "../db/connection.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "./event.ts";
import { EVENT_COLUMNS, type EventRow, type LogFilter, toEvent } from "./event-log.ts";

/**
 * Account events, such as logins, are logged once and not in each workspace of a user. These queries return the
 * account events of the workspace's members that another workspace's log contains, newest first; see migrations
 * 0044 and 0045. Each is shown as an event of this workspace, because a user's other memberships are private.
 * In an imported workspace they start with the import: membership before it is only known from the archive.
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

/** The account event at this position. */
export async function findAccountEvent(
  tx: Tx,
  position: LogPosition,
): Promise<RecordedEvent | undefined> {
  const before = { ...position, seq: position.seq + 1 };
  const [found] = await queryAccountEvents(tx, { before }, 1);
  return found?.id === eventIdOf(position) ? found : undefined;
}

/** True for the types in the index of account events. */
export function isAccountEventType(type: string): boolean {
  return type.startsWith("audit.auth.") || type.startsWith("audit.mfa.");
}
