import type { Services } from "#kernel/caller.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import type { ResourceRef } from "#kernel/event.ts";
import { contributionsTo } from "#kernel/extension.ts";
import { Failure, NotFound } from "#kernel/failure.ts";
import type { ReadContext } from "#kernel/operation.ts";
import { object } from "#kernel/schema.ts";
import {
  refColumn,
  type TicketHead,
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
export async function headOf(ctx: ReadContext, kind: TicketKind, ref: string): Promise<TicketHead> {
  const text = `
    select id, number, title, state, revision, created_by as "createdBy",
           assignee_id as "assigneeId", team_id as "teamId"
      from ${kind.table} where ${refColumn(ref)} = $1`;
  const [row] = await rowsOf(ctx.tx, text, [ref]);
  // The columns are those of the head, by the contract of a kind.
  const head = row && ({ ...row, kind: kind.kind } as unknown as TicketHead);
  if (!head || kind.sees?.(ctx.caller, head) === false) throw new Failure(NotFound);
  return head;
}

/** How events name a ticket. */
export function referTo({ id, number, title }: TicketSummary): ResourceRef {
  return { id, number, displayName: title };
}

/** All kinds of tickets of this product. */
export function kindsOf({ contributions }: Pick<Services, "contributions">): readonly TicketKind[] {
  return contributionsTo(TicketKindPoint, contributions);
}

/** Tickets of any kinds by their ids: those that there are, and that the caller may know of. */
export async function summariesOf(
  { tx, services, caller }: ReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TicketSummary>> {
  const found = await Promise.all(
    kindsOf(services).map((kind) => {
      const own = ids.filter((id) => id.startsWith(`${kind.prefix}_`));
      const known = own.length > 0 && caller.permissions.has(kind.read.name);
      return known ? kind.summariesOf(tx, own) : [];
    }),
  );
  return new Map(found.flat().map((summary) => [summary.id, summary]));
}
