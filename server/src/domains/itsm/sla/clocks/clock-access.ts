import { ticketKinds, type TicketKind, type TicketKindName } from "../../tickets/index.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";

type ClockReaderContext = Pick<ReadContext, "services" | "caller">;

/** Lists the ticket kinds whose tickets the caller can all see. Clocks of other kinds are hidden. */
export function visibleKinds({ services, caller }: ClockReaderContext): readonly TicketKindName[] {
  return ticketKinds(services)
    .filter((kind) => mayRead(kind, caller) && kind.canSee?.(caller) !== false)
    .map(({ kind }) => kind);
}

/** Throws 403 if the caller can read clocks but not all tickets of this kind. */
export function assertCanSee(kind: TicketKind, { caller }: ClockReaderContext): void {
  if (!mayRead(kind, caller)) throw forbidden(kind.read.name);
}

/** Throws 403 unless the caller can read all tickets of the kind. */
export function assertSeesAllTickets(kind: TicketKind, ctx: ClockReaderContext): void {
  if (!visibleKinds(ctx).includes(kind.kind)) throw forbidden(kind.reporting.permission.name);
}

function mayRead({ read }: TicketKind, { permissions }: ClockReaderContext["caller"]): boolean {
  return holdsPermission(permissions, read);
}

function forbidden(permission: string): Failure {
  return new Failure(Forbidden, { detail: `This also requires the permission ${permission}.` });
}
