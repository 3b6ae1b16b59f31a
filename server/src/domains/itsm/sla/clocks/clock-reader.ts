/**
 * From the log to clocks. The rows commit together with the cursor; mostly each is the one before with
 * the new events folded in, and only where that can't be is a ticket's whole history read.
 */
import type { PlatformServices } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { lockClocks, save, type StoredClock } from "./store.ts";
import {
  type SlaClockState,
  foldEvents,
  foldEvent,
  kindOf,
  type ClockPlan,
  ticketFromEvent,
} from "./clock-fold.ts";
import { historiesOf } from "./ticket-history.ts";
import { eventsToEmit, ticketFieldsOf, toClockRow } from "./clock-row.ts";
import { plansOf } from "./policy-targets.ts";
import type { SlaPolicy } from "../policy.ts";
import * as policies from "../store.ts";

export const CLOCK_READER = "sla.clocks";

/** The one who writes clocks as tickets go on. */
export const clockReader = reader({
  name: CLOCK_READER,
  on: ["incident.*", "change.*", "problem.*", "request.*"],
  startsAt: "beginning",
  async handle({ tx, now, services }, events) {
    const relevant = events.filter((event) => kindOf(event) !== undefined);
    const last = relevant.at(-1);
    if (!last) return;
    const lines = readTicketClocks(services, await policies.active(tx));
    if (lines.length === 0) return;
    const byTicket = Map.groupBy(relevant, ({ resource }) => resource.id);
    const stored = Map.groupBy(await lockClocks(tx, [...byTicket.keys()]), (one) => one.ticketId);
    const tickets = [...byTicket].map(([id, news]) => ({ id, news, stored: stored.get(id) ?? [] }));
    const unknown = tickets.filter((ticket) => lines.some((line) => needsHistory(line, ticket)));
    const histories = await historiesOf(
      tx,
      unknown.map(({ id }) => ({ id })),
      last.position,
    );
    const clocks = tickets.flatMap((ticket) =>
      lines.flatMap((line) =>
        keptOf(line, { ...ticket, history: histories.get(ticket.id) ?? [] }, now.getTime()),
      ),
    );
    await save(tx, clocks, now);
  },
});

/** One target of one policy. */
export interface TicketClocks {
  readonly policy: SlaPolicy;
  readonly plan: ClockPlan;
}

/** All targets of some policies. */
export function readTicketClocks(
  services: PlatformServices,
  all: readonly SlaPolicy[],
): TicketClocks[] {
  return all.flatMap((policy) => plansOf(services, policy).map((plan) => ({ policy, plan })));
}

/** The clock that is kept of a target, if there is one. */
export function clocksToStore(
  { policy, plan }: TicketClocks,
  stored: readonly StoredClock[],
): StoredClock | undefined {
  return stored.find(({ policyId, metric }) => policyId === policy.id && metric === plan.metric);
}

interface Known {
  readonly id: string;
  /** What happened to it just now. */
  readonly news: readonly RecordedEvent[];
  readonly stored: readonly StoredClock[];
}

function concerns({ plan }: TicketClocks, { news }: Known): boolean {
  return news.some((event) => kindOf(event) === plan.entity);
}

function needsHistory(line: TicketClocks, ticket: Known): boolean {
  if (!concerns(line, ticket)) return false;
  const before = clocksToStore(line, ticket.stored);
  if (before) return before.policyRevision !== line.policy.revision;
  return !beginsIn(ticket) && matchesIn(line, ticket);
}

function beginsIn({ news }: Known): boolean {
  return news[0]?.type.endsWith(".created") === true;
}

function matchesIn({ plan }: TicketClocks, { news }: Known): boolean {
  return news.some((event) => {
    const ticket = ticketFromEvent(event);
    return ticket !== undefined && plan.matches(ticket);
  });
}

function keptOf(
  line: TicketClocks,
  ticket: Known & { readonly history: readonly RecordedEvent[] },
  nowMs: number,
): StoredClock[] {
  if (!concerns(line, ticket)) return [];
  const { policy, plan } = line;
  const { id: ticketId, news } = ticket;
  const before = clocksToStore(line, ticket.stored);
  // Most policies are not about a ticket, and to see that takes less than to count.
  if (!before && !matchesIn(line, ticket)) return [];
  const clock = clockOf(line, ticket, before);
  const facts = ticketFieldsOf(news) ?? before?.ticket ?? ticketFieldsOf(ticket.history);
  const place = news.at(-1)?.position;
  if (!clock || !facts || !place || (!before && !clock.everMatched)) return [];
  return [toClockRow({ policy, plan, clock, ticketId, ticket: facts, place, before, nowMs })];
}

function clockOf(
  { policy, plan }: TicketClocks,
  ticket: Known & { readonly history: readonly RecordedEvent[] },
  before: StoredClock | undefined,
): SlaClockState | undefined {
  if (before?.policyRevision === policy.revision) {
    return foldEvent(plan, before.clock, eventsToEmit(ticket.news, before.place));
  }
  return foldEvents(plan, beginsIn(ticket) ? ticket.news : ticket.history);
}
