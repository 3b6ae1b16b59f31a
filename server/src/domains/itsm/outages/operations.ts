import { authorOf } from "#kernel/access/caller.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ticketRef, toTicketId } from "../tickets/index.ts";
import { AffectedReported, findOutage, listOutages, Outage, OutagesRead } from "./outage.ts";

const PATH = "/api/v1/outages";

const OutageOver = failure("outage_over", 409, "The outage has ended.");

const listOfOutages = query({
  id: "outages.list",
  route: `GET ${PATH}`,
  summary: "List current and recent outages",
  description:
    "An outage is a major incident. All members of the workspace can see its title and last broadcast. Outages " +
    "that ended within the last day are included.",
  permission: OutagesRead,
  query: object(pageQuery),
  response: page(Outage),
  run: async (ctx, { query: asked }) =>
    pageOfItems(ctx.services, "outages", asked, {
      items: [...(await listOutages(ctx.tx, authorOf(ctx.caller), ctx.now))],
      keyOf: (outage) => outage.id,
    }),
});

const reportAffected = command({
  id: "outages.report_affected",
  effect: "ordinary",
  route: `POST ${PATH}/{id}/affected`,
  summary: "Report being affected by an outage",
  description:
    "You are counted once. You get notifications about broadcasts and about the end of the outage.",
  permission: OutagesRead,
  params: object({ id: ticketRef("incident", "inc") }),
  response: item(Outage),
  emits: [AffectedReported],
  allowNoop: true,
  fails: [OutageOver],
  example: { params: { id: "inc_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  async run(ctx, { params }) {
    const id = await toTicketId(ctx, params.id);
    const asked = { id, userId: authorOf(ctx.caller), now: ctx.now };
    const outage = await findOutage(ctx.tx, asked);
    if (!outage) throw new Failure(NotFound);
    if (outage.state === "over") throw new Failure(OutageOver);
    const [added] = await ctx.send<{ n: number }>(
      `insert into outage_affected (incident_id, user_id, created_at) values ($1, $2, $3)
       on conflict do nothing returning 1 as n`,
      [outage.id, asked.userId, ctx.now],
    );
    if (!added) return outage;
    const affected = outage.affected + 1;
    const data = { userId: asked.userId, affected };
    ctx.emit(AffectedReported, { id: outage.id, displayName: outage.title }, data);
    return { ...outage, affected, isAffected: true };
  },
});

export const outageOperations = [listOfOutages, reportAffected];
