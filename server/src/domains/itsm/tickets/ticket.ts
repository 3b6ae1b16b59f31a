import type { Caller } from "#kernel/access/caller.ts";
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  refColumn,
  type TicketIdentity,
  type TicketKind,
  TicketKindPoint,
  ticketRef,
  type TicketSummary,
} from "./kind.ts";

/** The parameters of what is done with a ticket of a kind. */
export function ticketParams({ kind, prefix }: Pick<TicketKind, "kind" | "prefix">) {
  return object({ id: ticketRef(kind, prefix) });
}

/** What all kinds have, of the ticket that a reference names, if the caller sees it. */
export async function ticketIdentity(
  ctx: ReadContext,
  kind: TicketKind,
  ref: string,
): Promise<TicketIdentity> {
  const [head] = await headsWhere(ctx.tx, kind, `${refColumn(ref)} = $1`, ref);
  if (!head || kind.sees?.(ctx.caller, head) === false) throw new Failure(NotFound);
  return head;
}

/** The same of several tickets of a kind, by their ids, whoever may see them. */
export function ticketIdentities(
  tx: Tx,
  kind: TicketKind,
  ids: readonly string[],
): Promise<readonly TicketIdentity[]> {
  return headsWhere(tx, kind, "id = any($1::text[])", ids);
}

async function headsWhere(
  tx: Tx,
  kind: TicketKind,
  where: string,
  operand: unknown,
): Promise<readonly TicketIdentity[]> {
  const people =
    kind.kind === "request"
      ? ', requested_for as "requestedFor", approver_ids as "approverIds"'
      : "";
  const text = `
    select id, number, title, state, revision, created_by as "createdBy",
           assignee_id as "assigneeId", team_id as "teamId"${people}
      from ${kind.table} where ${where}`;
  const rows = await queryRows(tx, text, [operand]);
  // The columns are those of the head, by the contract of a kind.
  return rows.map((row) => ({ ...row, kind: kind.kind }) as unknown as TicketIdentity);
}

/** How events name a ticket. */
export function ticketRefOf({ id, number, title }: TicketSummary): ResourceRef {
  return { id, number, displayName: title };
}

/** All kinds of tickets of this product. */
export function ticketKinds({
  contributions,
}: Pick<PlatformServices, "contributions">): readonly TicketKind[] {
  return contributionsTo(TicketKindPoint, contributions);
}

/** Tickets of any kinds by their ids: those that there are, and that the caller may know of. */
export async function summariesOf(
  ctx: ReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TicketSummary>> {
  const { tx, services, caller } = ctx;
  const found = await Promise.all(
    ticketKinds(services).map(async (kind) => {
      const own = ids.filter((id) => id.startsWith(`${kind.prefix}_`));
      if (own.length === 0 || !caller.permissions.has(kind.read.name)) return [];
      const seen = await seenOf(ctx, kind, own);
      return seen.length === 0 ? [] : kind.summariesOf(tx, seen);
    }),
  );
  return new Map(found.flat().map((summary) => [summary.id, summary]));
}

async function seenOf(
  { tx, caller }: ReadContext,
  kind: TicketKind,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (!kind.sees || kind.sees(caller)) return ids;
  const heads = await ticketIdentities(tx, kind, ids);
  return heads.filter((head) => kind.sees?.(caller, head)).map(({ id }) => id);
}

/** Whose doing something is: whoever acts by a token, or by a workflow, is still themselves. */
export function authorOf({ principal, actor }: Caller): string {
  return principal?.id ?? actor.id;
}
