import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { ticketStore, type TicketSummary } from "../tickets/index.ts";
import type { Incident } from "./incident.ts";

export const incidentStore = ticketStore<Incident>({
  kind: "incident",
  table: "incidents",
  fields: [
    "title",
    "description",
    "state",
    "impact",
    "urgency",
    "priority",
    "severity",
    "category",
    "callerId",
    "assigneeId",
    "teamId",
    "onHoldReason",
    "holdUntil",
    "mergedIntoId",
    "resolution",
    "resolutionCode",
    "resolvedAt",
    "resolvedBy",
    "closedAt",
    "reopenCount",
    "isMajor",
    "parentId",
    "satisfaction",
    "satisfactionComment",
    "ratedAt",
    "updatedAt",
  ],
});

/** Locks all children of a locked incident, to which no more can be added. */
export function lockChildren(tx: Tx, parentId: string): Promise<readonly Incident[]> {
  return incidentStore.lockWhere(tx, "parent_id = $1 order by no", parentId);
}

export async function countChildren(tx: Tx, parentId: string): Promise<number> {
  const text = "select count(*) as n from incidents where parent_id = $1";
  const [row] = await queryRows(tx, text, [parentId]);
  return Number(row?.["n"]);
}

const DUE = `
  select id from incidents where state = 'resolved' and resolved_at <= $1
   order by resolved_at limit $2 for update skip locked`;

/** Locks some incidents resolved by a time, skipping locked ones. */
export async function lockResolved(tx: Tx, by: Date, count: number): Promise<readonly Incident[]> {
  const due = await queryRows(tx, DUE, [by, count]);
  if (due.length === 0) return [];
  const { select, toTicket } = incidentStore;
  const text = `select ${select} from incidents where id = any($1::text[]) order by resolved_at, no`;
  return (await queryRows(tx, text, [due.map(({ id }) => id)])).map(toTicket);
}

/** An open incident and its configuration item. */
export interface OpenIncident extends TicketSummary {
  readonly itemId: string;
  readonly priority: number;
}

const OPEN_ON_MAX = 10_000;

const OPEN_ON = `
  select i.item_id as "itemId", 'incident' as kind, t.id, t.number, t.title, t.state, t.priority
    from ticket_items i join incidents t on t.id = i.ticket_id
   where i.item_id = any($1::text[]) and i.kind = 'incident' and t.is_open
   order by t.priority, t.no, i.item_id limit ${OPEN_ON_MAX}`;

/** The open incidents about these items, most urgent first. */
export async function openIncidentsOn(
  tx: Tx,
  itemIds: readonly string[],
): Promise<readonly OpenIncident[]> {
  if (itemIds.length === 0) return [];
  return queryRows<OpenIncident>(tx, OPEN_ON, [itemIds]);
}

const PEOPLE = `
  select w.user_id as "userId" from ticket_watchers w
    join incidents i on i.id = w.ticket_id where i.id = $1 or i.parent_id = $1
  union
  select p.user_id from incidents i, unnest(array[i.assignee_id, i.caller_id]) as p (user_id)
   where (i.id = $1 or i.parent_id = $1) and p.user_id like 'usr\\_%'`;

/** Finds who watches, works on or is affected by an incident or one of its children. */
export async function findPeopleInvolved(tx: Tx, id: string): Promise<readonly string[]> {
  const rows = await queryRows(tx, PEOPLE, [id]);
  return rows.map(({ userId }) => String(userId)).toSorted();
}
