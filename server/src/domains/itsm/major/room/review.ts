/** The post-incident review: a draft from the log, for people to complete. */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { Time } from "#kernel/schema/schema.ts";
import { incidentKind, incidentStore } from "../../incidents/index.ts";
import { readTicketClocks, SlaRead } from "../../sla/index.ts";
import { ticketParams } from "../../tickets/index.ts";
import { readRoles } from "./roles.ts";
import { writeReview } from "./review-text.ts";

const EVENTS_MAX = 500;

const ReviewDraft = Type.Object(
  {
    title: Type.String(),
    body: Type.String({ description: "Markdown text for a knowledge article" }),
    tags: Type.Array(Type.String(), { description: "Tags for the article" }),
    from: Time,
    to: Time,
  },
  { title: "ReviewDraft" },
);

const REVIEW_TAG = "post-incident review";

export const draftReview = query({
  id: "major_incidents.draft_review",
  route: `GET ${incidentKind.path}/{id}/review-draft`,
  summary: "Draft a post-incident review from the timeline",
  description:
    "Returns a draft with the timeline, the duration, the SLA clocks and the broadcasts. Nothing is stored: create an article from it with `knowledge.create`.",
  permission: incidentKind.write,
  params: ticketParams(incidentKind),
  response: item(ReviewDraft),
  example: { params: { id: "INC0000001" } },
  async run(ctx, { params }) {
    const incident = await incidentStore.get(ctx.tx, params.id);
    const { id, number, title } = incident;
    const filter = { resourceType: "incident", resourceId: id };
    const [events, roles, clocks] = await Promise.all([
      queryEvents(ctx.tx, filter, EVENTS_MAX),
      readRoles(ctx.tx, id),
      ctx.caller.permissions.has(SlaRead.name) ? readTicketClocks(ctx, "incident", id) : [],
    ]);
    const names = await readNames(
      ctx,
      roles.map(({ userId }) => userId),
    );
    const to = incident.resolvedAt ?? ctx.now.toISOString();
    // Excludes internal comments, because a review has more readers than the incident.
    const publicEvents = events.filter(({ data }) => data["internal"] !== true).toReversed();
    const body = writeReview({ incident, to, events: publicEvents, clocks, roles, names });
    const tags = [REVIEW_TAG, number.toLowerCase()];
    return {
      title: `Review of ${number}: ${title}`.slice(0, 300),
      body,
      tags,
      from: incident.createdAt,
      to,
    };
  },
});

async function readNames(
  { tx }: ReadContext,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("users")
    .select(["id", "name"])
    .where("id", "in", userIds)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
