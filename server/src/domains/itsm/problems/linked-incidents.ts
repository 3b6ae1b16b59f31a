/** The incidents caused by a problem: ticket links, from the side of the problem. */
import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound, assertNoErrors } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { noContent, type Page, page } from "#kernel/operation/response.ts";
import { idsInOrder } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  findVisibleTickets,
  ticketParams,
  ticketRef,
  ticketRefOf,
  TicketSummary,
  toTicketId,
  toTicketIds,
} from "../tickets/index.ts";
import { IncidentLinked, IncidentUnlinked } from "./events.ts";
import { EXAMPLE_PROBLEM, problemCommands, problemKind } from "./kind.ts";
import { type Problem, ProblemsRead, ProblemsWrite } from "./problem.ts";
import { problemStore } from "./store.ts";

export const LINK_TYPE = "caused_by";
const EXAMPLE_INCIDENT = "inc_01jzt3n5k8q2x4v6w8y0z2b4d6";
const INCIDENTS_MAX = 100;

/** The number of incidents included in a problem. */
export const NEWEST_INCIDENTS_MAX = 100;

export const IncidentIds = Type.Array(ticketRef("incident", "inc"), {
  minItems: 1,
  maxItems: INCIDENTS_MAX,
  uniqueItems: true,
});

const listIncidentsOfProblem = query({
  id: "problems.list_incidents",
  route: `GET ${problemKind.path}/{id}/incidents`,
  summary: "List linked incidents of a problem, last linked first",
  permission: ProblemsRead,
  params: ticketParams(problemKind),
  query: object(pageQuery),
  response: page(TicketSummary),
  example: { params: { id: EXAMPLE_PROBLEM } },
  async run(ctx, input) {
    const problem = await problemStore.get(ctx.tx, input.params.id);
    return readIncidents(ctx, problem.id, input.query);
  },
});

const linkIncidentsToProblem = problemCommands.command("link_incidents", {
  effect: "ordinary",
  route: `POST ${problemKind.path}/{id}/incidents`,
  summary: "Link incidents to a problem",
  description:
    "The incidents show the workaround of the problem. Incidents that are already linked stay linked.",
  body: object({ incidentIds: IncidentIds }),
  allowNoop: true,
  emits: [IncidentLinked],
  example: { incidentIds: [EXAMPLE_INCIDENT] },
  async run(ctx, problem, { incidentIds }) {
    const count = await linkIncidents(ctx, problem, await assertIncidents(ctx, incidentIds));
    // A problem includes its incidents, so a change of incidents increases its revision.
    return count === 0 ? problem : problemCommands.save(ctx, problem, problem);
  },
});

export const unlinkIncidentFromProblem = command({
  id: "problems.unlink_incident",
  route: `DELETE ${problemKind.path}/{id}/incidents/{incidentId}`,
  summary: "Unlink an incident from a problem",
  permission: ProblemsWrite,
  params: object({
    ...ticketParams(problemKind).properties,
    incidentId: ticketRef("incident", "inc"),
  }),
  response: noContent(),
  emits: [IncidentUnlinked],
  example: { params: { id: EXAMPLE_PROBLEM, incidentId: EXAMPLE_INCIDENT } },
  async run(ctx, { params }) {
    const problem = await problemStore.lock(ctx.tx, params.id);
    ctx.expectRevision(problem.revision);
    await unlinkIncident(ctx, problem, await toTicketId(ctx, params.incidentId));
    await problemCommands.save(ctx, problem, problem);
  },
});

export const linkedIncidentOperations = [
  listIncidentsOfProblem,
  linkIncidentsToProblem,
  unlinkIncidentFromProblem,
];

/** Reads incidents by id or number. Throws 422 with those that the caller cannot see. */
export async function assertIncidents(
  ctx: ReadContext,
  references: readonly string[],
): Promise<readonly TicketSummary[]> {
  if (references.length === 0) return [];
  const ids = await toTicketIds(ctx, references);
  const tickets = await findVisibleTickets(ctx, ids);
  const errors = ids.flatMap((incidentId, index) =>
    tickets.get(incidentId)?.kind === "incident"
      ? []
      : [{ path: `/incidentIds/${index}`, message: "is not an incident that you can see" }],
  );
  assertNoErrors(errors);
  return [...tickets.values()];
}

const LINK = `
  insert into ticket_links (id, type, from_kind, from_id, to_kind, to_id, created_by, created_at)
  select l.id, $4, 'incident', l.from_id, 'problem', $3, $5, $6
    from unnest($1::text[], $2::text[]) as l (id, from_id)
  on conflict on constraint ticket_links_once do nothing
  returning id, from_id`;

/** Links incidents, with a given link id or a new one. Resolves to the number of new links. */
export async function linkIncidents(
  ctx: WriteContext<typeof IncidentLinked>,
  problem: Problem,
  incidents: readonly TicketSummary[],
  idsOfLinks: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  if (incidents.length === 0) return 0;
  const nextId = idsInOrder("lnk", ctx.now.getTime());
  const ids = incidents.map((incident) => incident.id);
  const linkIds = ids.map((incidentId) => idsOfLinks.get(incidentId) ?? nextId());
  const values = [linkIds, ids, problem.id, LINK_TYPE, authorOf(ctx.caller), ctx.now];
  const rows = await ctx.send<LinkRow>(LINK, values);
  const linked = new Map(rows.map(({ id: linkId, from_id }) => [from_id, linkId]));
  for (const incident of incidents) {
    const linkId = linked.get(incident.id);
    if (linkId === undefined) continue;
    ctx.emit(IncidentLinked, ticketRefOf(problem), { problemId: problem.id, incident, linkId });
  }
  return linked.size;
}

/** Removes the link of an incident. Throws 404 if it does not exist. */
async function unlinkIncident(
  ctx: WriteContext<typeof IncidentUnlinked>,
  problem: Problem,
  incidentId: string,
): Promise<void> {
  const incident = (await findVisibleTickets(ctx, [incidentId])).get(incidentId);
  const link = await ctx.tx
    .deleteFrom("ticket_links")
    .where("from_id", "=", incidentId)
    .where("to_id", "=", problem.id)
    .where("type", "=", LINK_TYPE)
    .returning("id")
    .executeTakeFirst();
  if (!incident || !link) throw new Failure(NotFound);
  const data = { problemId: problem.id, incident, linkId: link.id };
  ctx.emit(IncidentUnlinked, ticketRefOf(problem), data);
}

/** Reads the visible incidents of a problem, most recently linked first. */
export async function readNewestIncidents(
  ctx: ReadContext,
  problemId: string,
): Promise<TicketSummary[]> {
  return toSummaries(ctx, await queryLinks(ctx.tx, problemId, { limit: NEWEST_INCIDENTS_MAX }));
}

/** Reads a page of visible incidents, most recently linked first. */
async function readIncidents(
  ctx: ReadContext,
  problemId: string,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<Page<TicketSummary>> {
  const { cursors } = ctx.services;
  const list = `incidents of a problem ${problemId}`;
  const [before] = after === undefined ? [] : cursors.decode(list, after);
  const rows = await queryLinks(ctx.tx, problemId, { limit: limit + 1, before: before as string });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const data = await toSummaries(ctx, rows.slice(0, limit));
  return { data, nextCursor: last ? cursors.encode(list, [last.id]) : null, limit };
}

interface LinkRow {
  readonly id: string;
  readonly from_id: string;
}

async function queryLinks(
  tx: Tx,
  problemId: string,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<LinkRow[]> {
  const links = tx
    .selectFrom("ticket_links")
    .select(["id", "from_id"])
    .where("to_id", "=", problemId)
    .where("type", "=", LINK_TYPE)
    .where("from_kind", "=", "incident");
  const rest = before === undefined ? links : links.where("id", "<", before);
  return rest.orderBy("id", "desc").limit(limit).execute();
}

async function toSummaries(ctx: ReadContext, rows: readonly LinkRow[]): Promise<TicketSummary[]> {
  const ids = rows.map(({ from_id }) => from_id);
  const tickets = await findVisibleTickets(ctx, ids);
  return ids.flatMap((incidentId) => tickets.get(incidentId) ?? []);
}
