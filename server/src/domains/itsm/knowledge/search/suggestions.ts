import Type, { type Static } from "typebox";
import {
  getTicketIdentity,
  ticketKinds,
  findVisibleTickets,
  TicketSummary,
  ticketParams,
} from "../../tickets/index.ts";
import { incidentKind } from "../../incidents/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { item } from "#kernel/operation/response.ts";
import { roundScore, vectorConfidence } from "./rank-fusion.ts";
import { FINDABLE_STATES, ticketText, type TicketTextRow } from "./embedding-jobs.ts";
import { KnowledgeRead } from "../permissions.ts";
import { findByVector } from "./search-query.ts";
import { ArticleHit, findArticles } from "./search.ts";
import type { VectorHit } from "./vector-index.ts";

const SUGGESTIONS_MAX = 5;
/** Limit of the incident text for full-text search, because a log file would match everything. */
const WORDS_CHARACTERS_MAX = 400;

const SimilarTicket = Type.Object(
  {
    ...TicketSummary.properties,
    score: Type.Number({ description: "Similarity from 0 to 1" }),
  },
  { title: "SimilarTicket" },
);
type SimilarTicket = Static<typeof SimilarTicket>;

const Suggestions = Type.Object(
  {
    articles: Type.Array(ArticleHit),
    similarIncidents: Type.Array(SimilarTicket, { description: "Resolved incidents" }),
    knownErrors: Type.Array(SimilarTicket),
  },
  { title: "Suggestions" },
);

export const suggestForIncident = query({
  id: "knowledge.suggest_for_incident",
  route: "GET /api/v1/itsm/incidents/{id}/suggestions",
  summary: "List suggestions for an incident",
  description:
    "Returns similar articles, resolved incidents and known errors that you can view, most similar first.",
  permission: incidentKind.read,
  params: ticketParams(incidentKind),
  response: item(Suggestions),
  example: { params: { id: "INC0000001" } },
  async prepare(platform, { params }, caller) {
    const partition = partitionOfCaller(caller);
    const { db, clock } = platform;
    const incident = await db.read(partition, (tx) =>
      readIncident({ tx, now: clock.now(), caller, services: platform }, params.id),
    );
    const findNearest = await findByVector(platform, partition, {
      text: incident.text,
      kinds: ["article", "incident", "problem"],
    });
    const [articles, incidents, problems] = await Promise.all([
      findNearest("article"),
      findNearest("incident"),
      findNearest("problem"),
    ]);
    return { incident, articles, incidents, problems };
  },
  async run(ctx, _input, { incident, articles, incidents, problems }) {
    const words = incident.text.slice(0, WORDS_CHARACTERS_MAX);
    const mayRead = ctx.caller.permissions.has(KnowledgeRead.name);
    const options = { vectorHits: articles, limit: SUGGESTIONS_MAX };
    return {
      articles: mayRead ? [...(await findArticles(ctx, { words, isTyped: false }, options))] : [],
      similarIncidents: await findSimilarTickets(
        ctx,
        "incident",
        withoutIncident(incidents, incident.id),
      ),
      knownErrors: await findSimilarTickets(ctx, "problem", problems),
    };
  },
});

async function readIncident(
  ctx: ReadContext,
  ref: string,
): Promise<{ readonly id: string; readonly text: string }> {
  const { id } = await getTicketIdentity(ctx, incidentKind, ref);
  const statement = `select title, description from ${incidentKind.table} where id = $1`;
  const [row] = await queryRows<TicketTextRow>(ctx.tx, statement, [id]);
  return { id, text: row ? ticketText(row) : "" };
}

function withoutIncident(hits: readonly VectorHit[], id: string): readonly VectorHit[] {
  return hits.filter((hit) => hit.id !== id);
}

/** Finds tickets that are still findable and visible to the caller. */
async function findSimilarTickets(
  ctx: ReadContext,
  kind: keyof typeof FINDABLE_STATES,
  hits: readonly VectorHit[],
): Promise<SimilarTicket[]> {
  const isKnown = ticketKinds(ctx.services).some((each) => each.kind === kind);
  if (hits.length === 0 || !isKnown) return [];
  const summaries = await findVisibleTickets(
    ctx,
    hits.map(({ id }) => id),
  );
  return hits
    .flatMap(({ id, similarity }) => {
      const summary = summaries.get(id);
      const isFindable = summary && FINDABLE_STATES[kind].includes(summary.state);
      return isFindable ? [{ ...summary, score: roundScore(vectorConfidence(similarity)) }] : [];
    })
    .slice(0, SUGGESTIONS_MAX);
}
