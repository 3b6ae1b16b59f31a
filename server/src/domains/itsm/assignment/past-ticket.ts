import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { readResourceHistory } from "#kernel/log/resource-history.ts";
import type { TicketKind } from "../tickets/index.ts";

const BATCH_TICKETS = 200;
/** First events to read. They include creation, assignment and notification. */
const FIRST_EVENTS = 5;

/** A ticket at its creation, before rules were applied. */
export interface PastTicket {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly createdAt: Date;
  /** The end of the work on the ticket; null while it is open. */
  readonly endedAt: Date | null;
  /** Its current assignee. */
  readonly present: string | null;
  readonly fields: Readonly<Record<string, unknown>> & {
    readonly assigneeId: string | null;
    readonly teamId: string | null;
  };
}

interface Span {
  readonly start: Date;
  readonly end: Date;
  readonly limit: number;
}

/** Reads the newest tickets in a time range, oldest first. Omits tickets without logged events. */
export async function readPastTickets(
  tx: Tx,
  { kind, table }: TicketKind,
  { start, end, limit }: Span,
): Promise<readonly PastTicket[]> {
  const text = `
    select k.id, k.number, k.title, k.created_at as "createdAt", k.assignee_id as "present",
           case when not t.is_open then t.updated_at end as "endedAt"
      from ${table} k join tickets t on t.id = k.id
     where k.created_at >= $1 and k.created_at <= $2
     order by k.no desc limit ${limit}`;
  const rows = (await queryRows(tx, text, [start, end])).toReversed();
  const found: PastTicket[] = [];
  for (let index = 0; index < rows.length; index += BATCH_TICKETS) {
    const batch = rows.slice(index, index + BATCH_TICKETS);
    const positions = batch.map(({ id }) => ({ id: String(id) }));
    const histories = await readResourceHistory(tx, positions, { limit: FIRST_EVENTS });
    for (const row of batch) {
      const fields = fieldsAtFirst(kind, histories.get(String(row["id"])) ?? []);
      if (!fields) continue;
      const { createdAt, endedAt, ...rest } = row;
      const times = {
        createdAt: toDate(createdAt),
        endedAt: endedAt === null ? null : toDate(endedAt),
      };
      // The other columns are fields.
      found.push({ ...rest, ...times, fields } as unknown as PastTicket);
    }
  }
  return found;
}

function toDate(time: unknown): Date {
  // The driver returns times as strings.
  return new Date(time as string);
}

/** The fields of a ticket in its first event, without the values set by a rule. */
function fieldsAtFirst(
  kind: string,
  events: readonly RecordedEvent[],
): PastTicket["fields"] | undefined {
  const made = events.find(({ type }) => type === `${kind}.created`);
  if (!made) return undefined;
  const routed = events.find(
    ({ type, data }) => type === `${kind}.routed` && data["cause"] === "created",
  );
  const { assigneeId = null, teamId = null } = made.data as Partial<PastTicket["fields"]>;
  const isRouted = routed !== undefined;
  return {
    ...made.data,
    assigneeId: isRouted ? null : assigneeId,
    teamId: isRouted && routed.data["teamId"] === teamId ? null : teamId,
  };
}
