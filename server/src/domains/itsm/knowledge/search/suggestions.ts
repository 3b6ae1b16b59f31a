import Type, { type Static } from "typebox";
import {
  getTicketIdentity,
  ticketKinds,
  findVisibleTickets,
  TicketSummary,
  ticketParams,
} from "../../tickets/index.ts";
import { incidentKind } from "../../incidents/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { item } from "#kernel/operation/response.ts";
import { rounded, isStrongVectorMatch } from "./rank-fusion.ts";
import { FINDABLE, ticketText, type TicketTexts } from "./embedding-jobs.ts";
import { KnowledgeRead } from "../permissions.ts";
import { findByVector, partitionOf } from "./search-query.ts";
import { ArticleHit, articlesFor } from "./search.ts";
import type { VectorHit } from "./vector-index.ts";

const SHOWN_MAX = 5;
/** Of the incident's text, for the search by words: a log in it would ask for everything. */
const WORDS_CHARACTERS_MAX = 400;

const SimilarTicket = Type.Object(
  {
    ...TicketSummary.properties,
    score: Type.Number({ description: "From 0 to 1: how much alike" }),
  },
  { title: "SimilarTicket" },
);
type SimilarTicket = Static<typeof SimilarTicket>;

const Suggestions = Type.Object(
  {
    articles: Type.Array(ArticleHit),
    similarIncidents: Type.Array(SimilarTicket, { description: "Resolved ones" }),
    knownErrors: Type.Array(SimilarTicket),
  },
  { title: "Suggestions" },
);

export const suggestForIncident = query({
  id: "knowledge.suggest_for_incident",
  route: "GET /api/v1/itsm/incidents/{id}/suggestions",
  summary: "Find what may help with an incident",
  description:
    "Articles, incidents that were resolved, and known errors, the most alike first. Each as far as the " +
    "caller may read such things.",
  permission: incidentKind.read,
  params: ticketParams(incidentKind),
  response: item(Suggestions),
  example: { params: { id: "INC0000001" } },
  async prepare(platform, { params }, caller) {
    const partition = partitionOf(caller);
    const { db, clock } = platform;
    const incident = await db.read(partition, (tx) =>
      incidentOf({ tx, now: clock.now(), caller, services: platform }, params.id),
    );
    const nearness = await findByVector(platform, partition, {
      text: incident.text,
      kinds: ["article", "incident", "problem"],
    });
    const [articles, incidents, problems] = await Promise.all([
      nearness("article"),
      nearness("incident"),
      nearness("problem"),
    ]);
    return { incident, articles, incidents, problems };
  },
  async run(ctx, _input, { incident, articles, incidents, problems }) {
    const words = incident.text.slice(0, WORDS_CHARACTERS_MAX);
    const mayRead = ctx.caller.permissions.has(KnowledgeRead.name);
    const near = { near: articles, limit: SHOWN_MAX };
    return {
      articles: mayRead ? [...(await articlesFor(ctx, { words, isTyped: false }, near))] : [],
      similarIncidents: await ticketsNear(ctx, "incident", withoutItself(incidents, incident.id)),
      knownErrors: await ticketsNear(ctx, "problem", problems),
    };
  },
});

async function incidentOf(
  ctx: ReadContext,
  ref: string,
): Promise<{ readonly id: string; readonly text: string }> {
  const { id } = await getTicketIdentity(ctx, incidentKind, ref);
  const statement = `select title, description from ${incidentKind.table} where id = $1`;
  const [row] = await queryRows(ctx.tx, statement, [id]);
  // Every table of tickets has these columns.
  return { id, text: row ? ticketText(row as unknown as TicketTexts) : "" };
}

function withoutItself(near: readonly VectorHit[], id: string): readonly VectorHit[] {
  return near.filter((each) => each.id !== id);
}

/** Those that are still what they are looked for as, and that the caller may know of. */
async function ticketsNear(
  ctx: ReadContext,
  kind: keyof typeof FINDABLE,
  near: readonly VectorHit[],
): Promise<SimilarTicket[]> {
  const isKnown = ticketKinds(ctx.services).some((each) => each.kind === kind);
  if (near.length === 0 || !isKnown) return [];
  const summaries = await findVisibleTickets(
    ctx,
    near.map(({ id }) => id),
  );
  return near
    .flatMap(({ id, likeness }) => {
      const summary = summaries.get(id);
      const isFindable = summary && FINDABLE[kind].includes(summary.state);
      return isFindable ? [{ ...summary, score: rounded(isStrongVectorMatch(likeness)) }] : [];
    })
    .slice(0, SHOWN_MAX);
}
