import { ticketKinds, type TicketKind, type TicketKindName } from "../../tickets/index.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";

type Who = Pick<ReadContext, "services" | "caller">;

/** The kinds of which somebody sees all tickets: others' clocks are not for them. */
export function visibleKinds({ services, caller }: Who): readonly TicketKindName[] {
  return ticketKinds(services)
    .filter((kind) => maySee(kind, caller) && kind.sees?.(caller) !== false)
    .map(({ kind }) => kind);
}

/** Throws a 403 for who may see clocks, but not the tickets that they are of. */
export function assertCanSee(kind: TicketKind, { caller }: Who): void {
  if (!maySee(kind, caller)) throw forbidden(kind.read.name);
}

/** The same for all tickets of a kind. */
export function assertSeesAllTickets(kind: TicketKind, who: Who): void {
  if (!visibleKinds(who).includes(kind.kind)) throw forbidden(kind.reported.permission.name);
}

function maySee({ read }: TicketKind, { permissions }: Who["caller"]): boolean {
  return permissions.has(read.name);
}

function forbidden(permission: string): Failure {
  return new Failure(Forbidden, { detail: `This takes the permission ${permission} too.` });
}
