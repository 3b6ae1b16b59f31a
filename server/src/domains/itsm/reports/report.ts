/** The figures of the desk in a time: what came, what was done, how long it took, and whether promises were kept. */
import Type, { type Static } from "typebox";
import { TICKET_KINDS } from "../tickets/index.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { InputTime, line, nullable, object, Time } from "#kernel/schema/schema.ts";

const ID = (prefix: string): string => idPattern(prefix).replace(/^\^|\$$/g, "");

/** The tickets that a report is about. */
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
  timezone: Type.Optional(line(100, "Of days, weeks and months; UTC unless given")),
});
export type ReportQuery = Static<typeof ReportQuery>;

const maybe = nullable(Type.Number());

/** The figures of one time. */
const Figures = Type.Object(
  {
    created: Type.Integer(),
    resolved: Type.Integer({ description: "Whose work ended" }),
    open: Type.Integer({ description: "At the end of the time" }),
    responseMedian: nullable(
      Type.Number({
        description: "Minutes by the wall clock to the first answer, of those created",
      }),
    ),
    responseP90: maybe,
    resolutionMedian: nullable(
      Type.Number({ description: "Minutes by the wall clock to the end, of those resolved" }),
    ),
    resolutionP90: maybe,
    reopened: Type.Integer({ description: "Of those resolved, how many were opened again before" }),
    met: Type.Integer({ description: "SLA targets that were met" }),
    breached: Type.Integer({ description: "SLA targets that were missed" }),
    ratings: Type.Integer(),
    satisfaction: nullable(Type.Number({ description: "The average, from 1 to 5" })),
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
        at: Type.String({ description: "The first day of the bucket, such as `2026-11-02`" }),
        from: Time,
        to: Time,
        created: Type.Integer(),
        resolved: Type.Integer(),
        open: Type.Integer({ description: "At its end" }),
      }),
    ),
    ages: Type.Array(
      Type.Object({
        fromDays: Type.Integer(),
        toDays: nullable(Type.Integer()),
        open: Type.Integer(),
        late: Type.Integer({ description: "Of these, whose time is over" }),
      }),
      { description: "What is open now, by its age" },
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
      description: "Configuration items that tickets are about; none without `cmdb:read`",
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
  figure: Type.Enum([...FIGURES], { description: "The figure whose tickets are asked for" }),
  priority: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  assigneeId: Type.Optional(
    Type.String({ pattern: `^(none|${ID("usr")})$`, description: "A member, or `none`" }),
  ),
  category: Type.Optional(Type.String({ maxLength: 200 })),
  itemId: Type.Optional(line(60)),
  satisfaction: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  minAgeDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
  maxAgeDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
  metric: Type.Optional(line(50, "Of an SLA target")),
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
            description: "To the first answer where that was asked for, else to the end",
          }),
        ),
        satisfaction: nullable(Type.Integer()),
      }),
    ),
  },
  { title: "DeskReportTickets" },
);
export type ReportTickets = Static<typeof ReportTickets>;
