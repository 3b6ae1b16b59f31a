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
  summary: "The figures of the desk in a time",
  description:
    "Of one kind of tickets, of which the caller reads all: what came and was resolved, what is open by age, how long answers and " +
    "solutions took, SLA targets met, satisfaction, and who has what. The last 30 days unless `from` and `to` say otherwise; `before` " +
    "is the time as long before. Durations are by the wall clock.",
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
  summary: "The tickets behind a figure of the desk",
  description: "The slowest first, then the newest; `total` counts all of them.",
  permission: DeskRead,
  query: TicketsQuery,
  response: item(ReportTickets),
  example: { query: { kind: "incident", figure: "breached", limit: 50 } },
  run: (ctx, { query: asked }) => listReportTickets(ctx, openScope(ctx, asked), asked),
});

/** The tickets that a report is about; throws a 403 unless the caller reads all of the kind. */
function openScope(
  { services, caller, now }: ReadContext,
  { kind: name, teamId, from, to }: Pick<ReportQuery, "kind" | "teamId" | "from" | "to">,
): ReportScope {
  const kind = ticketKinds(services).find((one) => one.kind === name);
  if (!kind) throw new Error("Every kind of ticket is contributed.");
  const { permission } = kind.reporting;
  if (!caller.permissions.has(permission.name) || seesOwnOnly(kind, caller)) {
    throw new Failure(Forbidden, { detail: `This takes the permission ${permission.name} too.` });
  }
  const given = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return { kind, teamId, period: readPeriod(given, now) };
}

export const deskReport = domain({
  name: "desk_report",
  summary: "The figures of the desk, and the tickets behind them.",
  permissions: [],
  events: [],
  operations: [getReport, listTickets],
});
