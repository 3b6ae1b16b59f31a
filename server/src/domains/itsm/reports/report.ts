/** Desk statistics of a period: created and resolved tickets, durations, and SLA compliance. */
import Type, { type Static } from "typebox";
import { TICKET_KINDS } from "../tickets/index.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { InputTime, line, nullable, object, Time } from "#kernel/schema/schema.ts";

const ID = (prefix: string): string => idPattern(prefix).replace(/^\^|\$$/g, "");

/** The tickets of a report. */
export const scope = {
  kind: Type.Enum([...TICKET_KINDS], { default: "incident" }),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  teamId: Type.Optional(
    Type.String({ pattern: `^(none|${ID("tem")})$`, description: "A team, or `none`" }),
  ),
};

export const ReportQuery = object({
  ...scope,
  timezone: Type.Optional(line(100, "Time zone of days, weeks and months. Default: UTC")),
});
export type ReportQuery = Static<typeof ReportQuery>;

const maybe = nullable(Type.Number());

/** The numbers of one period. */
const Figures = Type.Object(
  {
    created: Type.Integer(),
    resolved: Type.Integer({ description: "Resolved tickets" }),
    open: Type.Integer({ description: "Open tickets at the end of the period" }),
    responseMedian: nullable(
      Type.Number({
        description:
          "Minutes to the first response in calendar time, for tickets created in the period",
      }),
    ),
    responseP90: maybe,
    resolutionMedian: nullable(
      Type.Number({
        description:
          "Minutes to the resolution in calendar time, for tickets resolved in the period",
      }),
    ),
    resolutionP90: maybe,
    reopened: Type.Integer({ description: "Number of resolved tickets that were reopened before" }),
    met: Type.Integer({ description: "SLA targets met" }),
    breached: Type.Integer({ description: "SLA targets missed" }),
    ratings: Type.Integer(),
    satisfaction: nullable(Type.Number({ description: "Average rating from 1 to 5" })),
  },
  { title: "DeskFigures" },
);
export type Figures = Static<typeof Figures>;

const named = { id: nullable(Type.String()), name: nullable(Type.String()) };

export const DeskReport = Type.Object(
  {
    kind: scope.kind,
    from: Time,
    to: Time,
    unit: Type.Enum(["day", "week", "month"]),
    now: Figures,
    before: Figures,
    course: Type.Array(
      Type.Object({
        at: Type.String({ description: "First day of the interval, such as `2026-11-02`" }),
        from: Time,
        to: Time,
        created: Type.Integer(),
        resolved: Type.Integer(),
        open: Type.Integer({ description: "Open tickets at the end of the interval" }),
      }),
    ),
    ages: Type.Array(
      Type.Object({
        fromDays: Type.Integer(),
        toDays: nullable(Type.Integer()),
        open: Type.Integer(),
        late: Type.Integer({ description: "Overdue tickets" }),
      }),
      { description: "Currently open tickets by age" },
    ),
    promises: Type.Array(
      Type.Object({
        team: Type.Object(named),
        priority: nullable(Type.Integer()),
        metric: Type.String(),
        met: Type.Integer(),
        breached: Type.Integer(),
      }),
    ),
    agents: Type.Array(
      Type.Object({
        ...named,
        open: Type.Integer(),
        resolved: Type.Integer(),
        resolutionMedian: maybe,
        ratings: Type.Integer(),
        satisfaction: maybe,
      }),
    ),
    teams: Type.Array(
      Type.Object({
        ...named,
        open: Type.Integer(),
        created: Type.Integer(),
        resolved: Type.Integer(),
        resolutionMedian: maybe,
      }),
    ),
    categories: Type.Array(
      Type.Object({ category: Type.String(), created: Type.Integer(), before: Type.Integer() }),
    ),
    services: Type.Array(Type.Object({ ...named, created: Type.Integer() }), {
      description: "Configuration items of the tickets. Empty without `cmdb:read`",
    }),
    stars: Type.Array(Type.Object({ satisfaction: Type.Integer(), ratings: Type.Integer() })),
  },
  { title: "DeskReport" },
);
export type DeskReport = Static<typeof DeskReport>;

export const FIGURES = [
  "created",
  "resolved",
  "open",
  "answered",
  "reopened",
  "rated",
  "met",
  "breached",
] as const;

export const TicketsQuery = object({
  ...scope,
  figure: Type.Enum([...FIGURES], { description: "The figure to list tickets for" }),
  priority: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  assigneeId: Type.Optional(
    Type.String({ pattern: `^(none|${ID("usr")})$`, description: "A member, or `none`" }),
  ),
  category: Type.Optional(Type.String({ maxLength: 200 })),
  itemId: Type.Optional(line(60)),
  satisfaction: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  minAgeDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
  maxAgeDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
  metric: Type.Optional(line(50, "Metric of the SLA target")),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 100 }),
});
export type TicketsQuery = Static<typeof TicketsQuery>;

export const ReportTickets = Type.Object(
  {
    total: Type.Integer(),
    tickets: Type.Array(
      Type.Object({
        id: Type.String(),
        number: Type.String(),
        title: Type.String(),
        state: Type.String(),
        priority: nullable(Type.Integer()),
        assigneeId: nullable(Type.String()),
        teamId: nullable(Type.String()),
        createdAt: Time,
        endedAt: nullable(Time),
        minutes: nullable(
          Type.Number({
            description:
              "Minutes to the first response or to the resolution, depending on the figure",
          }),
        ),
        satisfaction: nullable(Type.Integer()),
      }),
    ),
  },
  { title: "DeskReportTickets" },
);
export type ReportTickets = Static<typeof ReportTickets>;
