import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import type { PastList } from "#kernel/list/past-list.ts";
import { findPastState, findPastStates, PastNotKept } from "#kernel/log/past-state.ts";
import { memberOfAddressSql } from "../contacts/index.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import {
  refColumn,
  type TicketIdentity,
  type TicketKind,
  type TicketKindName,
  TicketKindPoint,
  type TicketSummary,
} from "./kind.ts";
import { LETTERS } from "./ticket-numbers.ts";
import { columnOf } from "./ticket-store.ts";

/** The ticket of a reference. Throws 404 if it does not exist or the caller cannot see it. */
export async function getTicketIdentity(
  ctx: ReadContext,
  kind: TicketKind,
  ref: string,
): Promise<TicketIdentity> {
  const [identity] = await queryIdentities(ctx.tx, kind, `${refColumn(ref)} = $1`, ref);
  if (!identity || kind.canSee?.(ctx.caller, identity) === false) throw new Failure(NotFound);
  return identity;
}

/** Locks a ticket until the transaction ends, which serialises concurrent undos. */
export async function lockTicket(tx: Tx, { table }: TicketKind, id: string): Promise<void> {
  await queryRows(tx, `select from ${table} where id = $1 for update`, [id]);
}

/** Tickets of a kind by id, including those that the caller cannot see. */
export function findTicketIdentities(
  tx: Tx,
  kind: TicketKind,
  ids: readonly string[],
): Promise<readonly TicketIdentity[]> {
  return queryIdentities(tx, kind, "id = any($1::text[])", ids);
}

/** The id of the ticket with this number, of any kind, without a visibility check. */
export async function findTicketId(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  number: string,
): Promise<string | undefined> {
  return (await findTicketByNumber({ tx, services }, number))?.ticket.id;
}

/** A ticket and its kind. */
export interface FoundTicket {
  readonly kind: TicketKind;
  readonly ticket: TicketIdentity;
}

interface TicketLookup {
  readonly tx: Tx;
  readonly services: Pick<PlatformServices, "contributions">;
}

/** Finds a ticket of any kind by number, without checking visibility. */
export async function findTicketByNumber(
  { tx, services }: TicketLookup,
  number: string,
): Promise<FoundTicket | undefined> {
  const kind = ticketKinds(services).find((one) => number.startsWith(LETTERS[one.kind]));
  if (!kind) return undefined;
  const [ticket] = await queryIdentities(tx, kind, "number = $1", number);
  return ticket && { kind, ticket };
}

/** Finds a ticket of any kind by id, without checking visibility. */
export async function findTicketById(
  { tx, services }: TicketLookup,
  id: string,
): Promise<FoundTicket | undefined> {
  const kind = ticketKinds(services).find(({ prefix }) => id.startsWith(`${prefix}_`));
  if (!kind) return undefined;
  const [ticket] = await queryIdentities(tx, kind, "id = $1", id);
  return ticket && { kind, ticket };
}

const IDENTITY_FIELDS = [
  "id",
  "number",
  "title",
  "state",
  "revision",
  "createdBy",
  "assigneeId",
  "teamId",
];

async function queryIdentities(
  tx: Tx,
  { kind, table, own, approverIdsSql, identityFields = [] }: TicketKind,
  where: string,
  operand: unknown,
): Promise<readonly TicketIdentity[]> {
  const columns = [...IDENTITY_FIELDS, ...identityFields].map(
    (field) => `${columnOf(field)} as "${field}"`,
  );
  if (own) columns.push(`${watcherIdsSql(table)} as "watcherIds"`);
  if (approverIdsSql !== undefined) columns.push(`${approverIdsSql} as "approverIds"`);
  if (identityFields.includes("callerId")) columns.push(`${CALLER_USER} as "callerUserId"`);
  const select = columns.join(", ");
  const rows = await queryRows(tx, `select ${select} from ${table} where ${where}`, [operand]);
  // Every kind guarantees the identity columns.
  return rows.map((row) => ({ ...row, kind }) as unknown as TicketIdentity);
}

/** SQL for the member with the address of the calling contact. */
const CALLER_USER = `
  case when caller_id like 'cnt\\_%' then
    ${memberOfAddressSql("(select c.address from contacts c where c.id = caller_id)")} end`;

/** Only invited watchers are parties, not members who watch by their own choice. */
function watcherIdsSql(table: string): string {
  return `array(select w.user_id from ticket_watchers w where w.ticket_id = ${table}.id and w.invited)`;
}

/** SQL condition: a person was invited to watch the ticket, given SQL for the id of the person. */
export function watchedSql(person: string): string {
  return `id = any (array(select w.ticket_id from ticket_watchers w where w.user_id = ${person} and w.invited))`;
}

/** The reference to a ticket in events. */
export function ticketRefOf(ticket: Pick<TicketSummary, "id" | "number" | "title">): ResourceRef {
  return { id: ticket.id, number: ticket.number, displayName: ticket.title };
}

/** All ticket kinds of this product. */
export function ticketKinds({
  contributions,
}: Pick<PlatformServices, "contributions">): readonly TicketKind[] {
  return contributionsTo(TicketKindPoint, contributions);
}

/** Tickets of any kind by id, limited to those visible to the caller. */
export async function findVisibleTickets(
  { tx, services, caller }: ReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TicketSummary>> {
  const summaries = await Promise.all(
    ticketKinds(services).map(async (kind) => {
      const own = ids.filter((id) => id.startsWith(`${kind.prefix}_`));
      if (own.length === 0 || !holdsPermission(caller.permissions, kind.read)) return [];
      const identities = await findTicketIdentities(tx, kind, own);
      return identities.filter((ticket) => kind.canSee?.(caller, ticket) !== false).map(toSummary);
    }),
  );
  return new Map(summaries.flat().map((summary) => [summary.id, summary]));
}

function toSummary({ kind, id, number, title, state, workaround }: TicketIdentity): TicketSummary {
  return { kind, id, number, title, state, ...(workaround !== undefined && { workaround }) };
}

const WHOLE_TICKET = ["id", "number", "state", "title", "updatedAt"];

/** The source for lists of tickets at a past time. */
export function pastTickets({ kind, table }: Pick<TicketKind, "kind" | "table">): PastList {
  return { resourceType: kind, table, marks: WHOLE_TICKET };
}

/** Tickets of one kind with their past titles and states. Requires current visibility. */
export async function readPastSummaries(
  tx: Tx,
  kind: TicketKindName,
  tickets: readonly TicketSummary[],
  at: Date,
): Promise<readonly TicketSummary[]> {
  const ids = tickets.map(({ id }) => id);
  const states = await findPastStates(tx, { resourceType: kind, ids, at, marks: WHOLE_TICKET });
  return tickets.map((ticket) => {
    const then = states.get(ticket.id);
    if (!then) throw new Failure(PastNotKept);
    return { ...ticket, title: String(then["title"]), state: String(then["state"]) };
  });
}

/** A ticket at a past time. Requires current visibility. */
export async function readPastTicket<T extends object>(
  { tx, now }: ReadContext,
  kind: TicketKindName,
  id: string,
  asOf: string,
): Promise<T> {
  const found = await findPastState(tx, {
    resourceType: kind,
    id,
    asOf,
    now,
    marks: WHOLE_TICKET,
    created: [`${kind}.created`],
  });
  if (!found) throw new Failure(PastNotKept);
  // Events use the response schema.
  return found.state as T;
}
