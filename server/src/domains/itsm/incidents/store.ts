import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  itemIdsSql,
  lockRows,
  refColumn,
  type TicketNumber,
  type TicketSummary,
} from "../tickets/index.ts";
import type { Incident, IncidentData } from "./incident.ts";

/** The columns that an incident is written to, by its fields; `revision` goes up by itself. */
const WRITTEN = {
  title: "title",
  description: "description",
  state: "state",
  impact: "impact",
  urgency: "urgency",
  priority: "priority",
  severity: "severity",
  category: "category",
  callerId: "caller_id",
  assigneeId: "assignee_id",
  teamId: "team_id",
  onHoldReason: "on_hold_reason",
  resolution: "resolution",
  resolutionCode: "resolution_code",
  resolvedAt: "resolved_at",
  resolvedBy: "resolved_by",
  closedAt: "closed_at",
  reopenCount: "reopen_count",
  isMajor: "is_major",
  parentId: "parent_id",
  updatedAt: "updated_at",
} as const satisfies Partial<Record<keyof IncidentData, string>>;
type Written = keyof typeof WRITTEN;
const FIELDS = Object.keys(WRITTEN) as Written[];

/** What stands behind `select` for an incident. */
export const SELECTED = [
  "id",
  "number",
  "revision",
  `created_by as "createdBy"`,
  `created_at as "createdAt"`,
  ...Object.entries(WRITTEN).map(([field, column]) => `${column} as "${field}"`),
  `${itemIdsSql("incidents")} as "ciIds"`,
].join(", ");

/** A row of `SELECTED`, with or without what a list adds to it. */
export function toIncident(row: SqlRow): Incident {
  // The select list has each field of an incident, and the checks of its table the values.
  const incident = row as unknown as Incident;
  return Object.fromEntries(ORDER.map((field) => [field, incident[field]])) as unknown as Incident;
}

const ORDER: readonly (keyof Incident)[] = [
  "id",
  "number",
  ...FIELDS,
  "ciIds",
  "createdBy",
  "createdAt",
  "revision",
];

/** Throws a 404 when there is none. */
export async function get(tx: Tx, ref: string): Promise<Incident> {
  const text = `select ${SELECTED} from incidents where ${refColumn(ref)} = $1`;
  return found(await queryRows(tx, text, [ref]));
}

/** Locks it, so that two changes take turns; throws a 404 when there is none. */
export async function lock(tx: Tx, ref: string): Promise<Incident> {
  return found(await locked(tx, `${refColumn(ref)} = $1`, ref));
}

/** Locks it, if it is there. */
export async function lockAny(tx: Tx, ref: string): Promise<Incident | undefined> {
  const [row] = await locked(tx, `${refColumn(ref)} = $1`, ref);
  return row && toIncident(row);
}

/** Locks all children of an incident that is locked, so that there are no further ones. */
export async function lockChildren(tx: Tx, parentId: string): Promise<readonly Incident[]> {
  return (await locked(tx, "parent_id = $1 order by no", parentId)).map(toIncident);
}

function locked(tx: Tx, where: string, operand: string): Promise<SqlRow[]> {
  return lockRows(tx, { table: "incidents", select: SELECTED, where }, operand);
}

/** How many children it has. */
export async function countChildren(tx: Tx, parentId: string): Promise<number> {
  const text = "select count(*) as n from incidents where parent_id = $1";
  const [row] = await queryRows(tx, text, [parentId]);
  return Number(row?.["n"]);
}

const DUE = `
  select id from incidents where state = 'resolved' and resolved_at <= $1
   order by resolved_at limit $2 for update skip locked`;

/** Locks some that were resolved by then; those that somebody has in hand just now are left alone. */
export async function lockResolved(tx: Tx, by: Date, count: number): Promise<readonly Incident[]> {
  const due = await queryRows(tx, DUE, [by, count]);
  if (due.length === 0) return [];
  const text = `select ${SELECTED} from incidents where id = any($1::text[]) order by resolved_at, no`;
  return (await queryRows(tx, text, [due.map(({ id }) => id)])).map(toIncident);
}

const INSERT = `
  insert into incidents (id, no, number, created_by, created_at, ${Object.values(WRITTEN).join(", ")})
  values ($1, $2, $3, $4, $5, ${FIELDS.map((_, index) => `$${index + 6}`).join(", ")})`;

/** Writes a new one; the commit waits for it. */
export function insert(
  { send }: Pick<WriteContext, "send">,
  incident: Incident,
  { no }: TicketNumber,
) {
  const { id, number, createdBy, createdAt } = incident;
  void send(INSERT, [id, no, number, createdBy, createdAt, ...valuesOf(incident)]);
}

const UPDATE = `
  update incidents set revision = $2,
         ${FIELDS.map((field, index) => `${WRITTEN[field]} = $${index + 3}`).join(", ")}
   where id = $1`;

/** Writes one that is locked as it is now; the commit waits for it. */
export function update({ send }: Pick<WriteContext, "send">, incident: Incident): void {
  void send(UPDATE, [incident.id, incident.revision, ...valuesOf(incident)]);
}

function valuesOf(incident: Incident): unknown[] {
  return FIELDS.map((field) => incident[field]);
}

/** Those of these ids that there are. */
export async function summariesOf(
  tx: Tx,
  ids: readonly string[],
): Promise<readonly TicketSummary[]> {
  const text = `
    select 'incident' as kind, id, number, title, state from incidents where id = any($1::text[])`;
  // As the select list has it.
  return (await queryRows(tx, text, [ids])) as unknown as readonly TicketSummary[];
}

/** An incident that somebody still has to work on, and an item that it is about. */
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

/** The open incidents about these items, the most urgent first. */
export async function openIncidentsOn(
  tx: Tx,
  itemIds: readonly string[],
): Promise<readonly OpenIncident[]> {
  if (itemIds.length === 0) return [];
  // As the select list has it.
  return (await queryRows(tx, OPEN_ON, [itemIds])) as unknown as readonly OpenIncident[];
}

const PEOPLE = `
  select w.user_id as "userId" from ticket_watchers w
    join incidents i on i.id = w.ticket_id where i.id = $1 or i.parent_id = $1
  union
  select p.user_id from incidents i, unnest(array[i.assignee_id, i.caller_id]) as p (user_id)
   where (i.id = $1 or i.parent_id = $1) and p.user_id is not null`;

/** Who watches, has or suffers from an incident or one of its children. */
export async function peopleAround(tx: Tx, id: string): Promise<readonly string[]> {
  const rows = await queryRows(tx, PEOPLE, [id]);
  return rows.map(({ userId }) => String(userId)).toSorted();
}

function found([row]: readonly SqlRow[]): Incident {
  if (!row) throw new Failure(NotFound);
  return toIncident(row);
}
