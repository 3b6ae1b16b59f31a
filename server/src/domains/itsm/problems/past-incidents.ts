/** The incidents of a problem at a past moment, folded from what the log says of their links. */
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { assertPastReadable, PastTooLong } from "#kernel/list/past-list.ts";
import { parsePastTime, PastNotKept, readToldEvents } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { findVisibleTickets, readPastSummaries, type TicketSummary } from "../tickets/index.ts";
import { LINK_TYPE, NEWEST_INCIDENTS_MAX } from "./linked-incidents.ts";

/** Links of one problem that were made or removed, ever. */
const LINK_EVENTS_MAX = 10_000;

const PRESENT = `
  select from_id as "incidentId", id as "linkId", created_at as "createdAt" from ticket_links
   where to_id = $1 and type = $2 and from_kind = 'incident' order by id limit ${LINK_EVENTS_MAX + 1}`;

/** Reads those that the caller sees now, the last linked first, as they were then. */
export async function readPastIncidents(
  ctx: ReadContext,
  problemId: string,
  asOf: string,
): Promise<readonly TicketSummary[]> {
  const at = parsePastTime(asOf, ctx.now);
  // The links that incidents tell of are found among all that incidents tell.
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

/** A link is made and removed from the side of either ticket. */
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
    // Events have the one or the other, by their types.
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

/** The incidents that were linked then, the last one first; throws where the log no longer tells. */
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
    // One that was removed later had been made, and nothing says when.
    if (event.at > at && !isLinked && !known.has(incidentId)) throw new Failure(PastNotKept);
    known.add(incidentId);
    if (event.at > at) continue;
    linked.delete(incidentId);
    if (!isLinked) continue;
    // A link that came back has the place that it had.
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
