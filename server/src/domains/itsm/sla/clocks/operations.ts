import { type TicketKindName, ticketParams } from "../../tickets/index.ts";
import { query } from "#kernel/operation/operation.ts";
import type { Route } from "#kernel/contract.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { countedPage, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ClockListQuery, readClockPage } from "./clock-list.ts";
import { SlaRead } from "../permissions.ts";
import { ClockListItem, readTicketClocks, SlaClock } from "./clock-schema.ts";

const TICKET_PATHS = [
  { kind: "incident", prefix: "inc", path: "/api/v1/itsm/incidents" },
  { kind: "change", prefix: "chg", path: "/api/v1/itsm/changes" },
  { kind: "problem", prefix: "prb", path: "/api/v1/itsm/problems" },
  { kind: "request", prefix: "req", path: "/api/v1/catalog/requests" },
] as const satisfies readonly {
  readonly kind: TicketKindName;
  readonly prefix: string;
  readonly path: string;
}[];

/** Lists the clocks of a ticket, as one operation per ticket kind. */
export const ticketClocks = TICKET_PATHS.map((ticketPath) => {
  const { kind, prefix, path } = ticketPath;
  const route: Route = `GET ${path}/{id}/sla`;
  return query({
    id: `sla.of_${kind}`,
    route,
    summary: `Explain the SLA clocks of ${kind === "incident" ? "an" : "a"} ${kind}`,
    description:
      "Calculated from the log. Each clock has its used time, its due time and the events that started, paused or stopped the clock.",
    permission: SlaRead,
    params: ticketParams(ticketPath),
    query: object(pageQuery),
    response: page(SlaClock),
    example: { params: { id: `${prefix}_01jzt3n5k8q2x4v6w8y0z2b4d6` } },
    run: async (ctx, { params, query: asked }) =>
      pageOfItems(ctx.services, `clocks of ${params.id}`, asked, {
        items: await readTicketClocks(ctx, kind, params.id),
        keyOf: ({ policyId, metric }) => `${policyId} ${metric}`,
      }),
  });
});

export const listClocks = query({
  id: "sla.list_clocks",
  route: "GET /api/v1/itsm/sla/clocks",
  summary: "List SLA clocks, next due first",
  description: "For a dashboard: `state=running&dueBefore=…` returns the clocks that are due soon.",
  permission: SlaRead,
  query: ClockListQuery,
  response: countedPage(ClockListItem),
  example: { query: { limit: 50, state: "running", dueBefore: "2026-12-01T12:00:00Z" } },
  run: (ctx, input) => readClockPage(ctx, input.query),
});
