/** Events of an incident for callers of its duplicates. They are notified about their own ticket. */
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { TicketIdentity } from "../kind.ts";
import { findDuplicateIds } from "../references/merged-tickets.ts";
import { findTicketIdentities, ticketKinds, ticketRefOf } from "../ticket.ts";

interface Lookup {
  readonly tx: Tx;
  readonly services: Pick<PlatformServices, "contributions">;
}

/** An incident event, and the duplicate to notify about. */
export interface DuplicateEvent {
  readonly event: RecordedEvent;
  readonly ticket: TicketIdentity;
}

/** Converts the resolution of an incident to events for its duplicates. Ignores other events. */
export async function toDuplicateEvents(
  { tx, services }: Lookup,
  event: RecordedEvent,
): Promise<readonly DuplicateEvent[]> {
  if (event.type !== "incident.resolved") return [];
  const kind = ticketKinds(services).find((one) => one.kind === "incident");
  const ids = await findDuplicateIds(tx, event.resource.id);
  if (!kind || ids.length === 0) return [];
  const tickets = await findTicketIdentities(tx, kind, ids);
  return tickets.map((ticket) => ({
    ticket,
    event: { ...event, resource: { ...event.resource, ...ticketRefOf(ticket) } },
  }));
}
