/** The incidents of a problem at a past moment, computed from the link events in the log. */
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { assertPastReadable, PastTooLong } from "#kernel/list/past-list.ts";
import { parsePastTime, PastNotKept, readToldEvents } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { findVisibleTickets, readPastSummaries, type TicketSummary } from "../tickets/index.ts";
import { LINK_TYPE, NEWEST_INCIDENTS_MAX } from "./linked-incidents.ts";

/** Limit of link events per problem. */
const LINK_EVENTS_MAX = 10_000;

const PRESENT = `
  select from_id as "incidentId", id as "linkId", created_at as "createdAt" from ticket_links
   where to_id = $1 and type = $2 and from_kind = 'incident' order by id limit ${LINK_EVENTS_MAX + 1}`;

/** Reads the incidents currently visible to the caller, most recently linked first, in their past state. */
export async function readPastIncidents(
  ctx: ReadContext,
  problemId: string,
  asOf: string,
): Promise<readonly TicketSummary[]> {
  const at = parsePastTime(asOf, ctx.now);
  // Link events from the side of incidents are part of the incident log.
  await assertPastReadable(ctx, { resourceType: "incident" }, ctx.now);
  const events = await readLinkEvents(ctx.tx, problemId);
  const present = await queryRows(ctx.tx, PRESENT, [problemId, LINK_TYPE]);
  if (Math.max(events.length, present.length) > LINK_EVENTS_MAX) throw new Failure(PastTooLong);
  const ids = foldLinks(events, present.map(toPresentLink), at);
  const tickets = await findVisibleTickets(ctx, ids);
  const listed = ids.flatMap((id) => tickets.get(id) ?? []).slice(0, NEWEST_INCIDENTS_MAX);
  return readPastSummaries(ctx.tx, "incident", listed, at);
}

interface LinkEvent {
  readonly incidentId: string;
  /** Empty in events of earlier versions. */
  readonly linkId: string;
  readonly isLinked: boolean;
  readonly at: Date;
}

/** A link can be created and removed from the side of either ticket. */
async function readLinkEvents(tx: Tx, problemId: string): Promise<readonly LinkEvent[]> {
  const data = { to: problemId, type: LINK_TYPE };
  const both = (kind: string): string[] => [`${kind}.linked`, `${kind}.unlinked`];
  const selections = [
    {
      resourceId: problemId,
      types: ["problem.incident_linked", "problem.incident_unlinked"],
    },
    { resourceId: problemId, types: both("problem"), data },
    { topic: "incident", types: both("incident"), data },
  ];
  const events = await readToldEvents(tx, selections, LINK_EVENTS_MAX + 1);
  return events.map((event) => {
    // Event types contain one of these forms.
    const { incident, from, linkId, id } = event.data as {
      readonly incident?: TicketSummary;
      readonly from?: string;
      readonly linkId?: string;
      readonly id?: string;
    };
    return {
      incidentId: incident?.id ?? from ?? "",
      linkId: linkId ?? id ?? "",
      isLinked: !event.type.endsWith("unlinked"),
      at: new Date(event.createdAt),
    };
  });
}

function toPresentLink({ incidentId, linkId, createdAt }: SqlRow): LinkEvent {
  return {
    incidentId: String(incidentId),
    linkId: String(linkId),
    isLinked: true,
    at: new Date(String(createdAt)),
  };
}

/** The incidents linked at that moment, most recent first. Throws if the log no longer contains the events. */
function foldLinks(
  events: readonly LinkEvent[],
  present: readonly LinkEvent[],
  at: Date,
): string[] {
  const linked = new Map<string, LinkEvent>();
  const made = new Map<string, LinkEvent>();
  const known = new Set<string>();
  for (const event of events) {
    const { incidentId, linkId, isLinked } = event;
    // The removal of the link is known but not its creation time.
    if (event.at > at && !isLinked && !known.has(incidentId)) throw new Failure(PastNotKept);
    known.add(incidentId);
    if (event.at > at) continue;
    linked.delete(incidentId);
    if (!isLinked) continue;
    // A restored link keeps its original position.
    const first = made.get(linkId) ?? event;
    linked.set(incidentId, first);
    if (linkId !== "") made.set(linkId, first);
  }
  const untold = present.some((link) => link.at <= at && !known.has(link.incidentId));
  if (untold) throw new Failure(PastNotKept);
  const order = (one: LinkEvent, other: LinkEvent): number =>
    other.at.getTime() - one.at.getTime() || (one.linkId < other.linkId ? 1 : -1);
  return [...linked.values()].toSorted(order).map(({ incidentId }) => incidentId);
}
