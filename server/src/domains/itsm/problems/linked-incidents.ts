/** The incidents that a problem causes: links between tickets, seen from the problem. */
import { authorOf, ticketRefOf, summariesOf, type TicketSummary } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, Invalid, NotFound } from "#kernel/operation/failure.ts";
import { idsInOrder } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import type { Page } from "#kernel/operation/response.ts";
import { IncidentLinked, IncidentUnlinked } from "./events.ts";
import type { Problem } from "./problem.ts";

const TYPE = "caused_by";

/** The newest of them, as many as a problem shows by itself. */
export const SHOWN_MAX = 100;

/** Those of these ids that are incidents which the caller may know of; throws a 422 that names the others. */
export async function assertIncidents(
  ctx: ReadContext,
  ids: readonly string[],
): Promise<readonly TicketSummary[]> {
  if (ids.length === 0) return [];
  const known = await summariesOf(ctx, ids);
  const errors = ids.flatMap((id, index) =>
    known.get(id)?.kind === "incident"
      ? []
      : [{ path: `/incidentIds/${index}`, message: "is not the id of an incident" }],
  );
  const [first] = errors;
  if (first) throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors });
  return [...known.values()];
}

const LINK = `
  insert into ticket_links (id, type, from_kind, from_id, to_kind, to_id, created_by, created_at)
  select l.id, $4, 'incident', l.from_id, 'problem', $3, $5, $6
    from unnest($1::text[], $2::text[]) as l (id, from_id)
  on conflict on constraint ticket_links_once do nothing
  returning from_id`;

/** Links incidents, and tells of those that were not linked before. */
export async function link(
  ctx: WriteContext<typeof IncidentLinked>,
  problem: Problem,
  incidents: readonly TicketSummary[],
): Promise<number> {
  if (incidents.length === 0) return 0;
  const nextId = idsInOrder("lnk", ctx.now.getTime());
  const ids = incidents.map(({ id }) => id);
  const values = [ids.map(nextId), ids, problem.id, TYPE, authorOf(ctx.caller), ctx.now];
  const rows = await ctx.send<{ from_id: string }>(LINK, values);
  const linked = new Set(rows.map(({ from_id }) => from_id));
  for (const incident of incidents) {
    if (!linked.has(incident.id)) continue;
    ctx.emit(IncidentLinked, ticketRefOf({ ...problem, kind: "problem" }), {
      problemId: problem.id,
      incident,
    });
  }
  return linked.size;
}

/** Removes the link of an incident; throws a 404 where there is none. */
export async function unlink(
  ctx: WriteContext<typeof IncidentUnlinked>,
  problem: Problem,
  incidentId: string,
): Promise<void> {
  const incident = (await summariesOf(ctx, [incidentId])).get(incidentId);
  const { numDeletedRows } = await ctx.tx
    .deleteFrom("ticket_links")
    .where("from_id", "=", incidentId)
    .where("to_id", "=", problem.id)
    .where("type", "=", TYPE)
    .executeTakeFirstOrThrow();
  if (!incident || numDeletedRows === 0n) throw new Failure(NotFound);
  ctx.emit(IncidentUnlinked, ticketRefOf({ ...problem, kind: "problem" }), {
    problemId: problem.id,
    incident,
  });
}

/** The incidents of a problem that the caller may know of, the last linked first. */
export async function newest(ctx: ReadContext, problemId: string): Promise<TicketSummary[]> {
  return summed(ctx, await linksTo(ctx.tx, problemId, { limit: SHOWN_MAX }));
}

const LIST = "incidents of a problem";

/** The same, page by page. */
export async function page(
  ctx: ReadContext,
  problemId: string,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<Page<TicketSummary>> {
  const { cursors } = ctx.services;
  const list = `${LIST} ${problemId}`;
  const [before] = after === undefined ? [] : cursors.decode(list, after);
  const rows = await linksTo(ctx.tx, problemId, { limit: limit + 1, before: before as string });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const data = await summed(ctx, rows.slice(0, limit));
  return { data, nextCursor: last ? cursors.encode(list, [last.id]) : null, limit };
}

interface LinkRow {
  readonly id: string;
  readonly from_id: string;
}

async function linksTo(
  tx: Tx,
  problemId: string,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<LinkRow[]> {
  const all = tx
    .selectFrom("ticket_links")
    .select(["id", "from_id"])
    .where("to_id", "=", problemId)
    .where("type", "=", TYPE)
    .where("from_kind", "=", "incident");
  const rest = before === undefined ? all : all.where("id", "<", before);
  return rest.orderBy("id", "desc").limit(limit).execute();
}

async function summed(ctx: ReadContext, rows: readonly LinkRow[]): Promise<TicketSummary[]> {
  const ids = rows.map(({ from_id }) => from_id);
  const known = await summariesOf(ctx, ids);
  return ids.flatMap((id) => known.get(id) ?? []);
}
