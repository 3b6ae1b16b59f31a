import type { ReadContext } from "#kernel/contract.ts";
import { domain } from "#kernel/domain.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { DeskRead, seesOwnOnly, ticketKinds } from "../tickets/index.ts";
import { listReportTickets } from "./list-tickets.ts";
import { checkTimezone, readPeriod } from "./period.ts";
import { readReport } from "./read-report.ts";
import {
  DeskReport,
  type ReportQuery,
  ReportQuery as Query,
  ReportTickets,
  TicketsQuery,
} from "./report.ts";
import type { ReportScope } from "./report-sql.ts";

const PATH = "/api/v1/itsm/desk-report";

const getReport = query({
  id: "desk_report.get",
  route: `GET ${PATH}`,
  summary: "Get the service desk report",
  description:
    "Returns the figures of one ticket kind: created and resolved tickets, open tickets by age, time to first response and to resolution, SLA targets met, satisfaction, and tickets per assignee. Requires permission to view all tickets of the kind. Default: the last 30 days. `before` contains the preceding period of the same length. Durations are in calendar time.",
  permission: DeskRead,
  query: Query,
  response: item(DeskReport),
  example: { query: { kind: "incident", timezone: "Europe/Berlin" } },
  run: (ctx, { query: asked }) =>
    readReport(ctx, openScope(ctx, asked), checkTimezone(asked.timezone ?? "UTC")),
});

const listTickets = query({
  id: "desk_report.list_tickets",
  route: `GET ${PATH}/tickets`,
  summary: "List the tickets of a report figure",
  description: "Slowest tickets first, then newest first. `total` counts all tickets.",
  permission: DeskRead,
  query: TicketsQuery,
  response: item(ReportTickets),
  example: { query: { kind: "incident", figure: "breached", limit: 50 } },
  run: (ctx, { query: asked }) => listReportTickets(ctx, openScope(ctx, asked), asked),
});

/** The tickets of a report. Throws 403 unless the caller can read all tickets of the kind. */
function openScope(
  { services, caller, now }: ReadContext,
  { kind: name, teamId, from, to }: Pick<ReportQuery, "kind" | "teamId" | "from" | "to">,
): ReportScope {
  const kind = ticketKinds(services).find((one) => one.kind === name);
  if (!kind) throw new Error("Every kind of ticket is contributed.");
  const { permission } = kind.reporting;
  if (!caller.permissions.has(permission.name) || seesOwnOnly(kind, caller)) {
    throw new Failure(Forbidden, {
      detail: `This also requires the permission ${permission.name}.`,
    });
  }
  const given = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return { kind, teamId, period: readPeriod(given, now) };
}

export const deskReport = domain({
  name: "desk_report",
  summary: "Service desk reports.",
  permissions: [],
  events: [],
  operations: [getReport, listTickets],
});
