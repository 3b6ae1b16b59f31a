/** Schemas, events and failures of report schedules: a report or a dashboard sent by e-mail. */
import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { DashboardId } from "../dashboards/dashboard.ts";
import { Schedule } from "../kpis/kpi.ts";
import { ReportId } from "../reports/report.ts";

export const SCHEDULES_MAX = 200;
export const RECIPIENTS_MAX = 50;
const CRON_MONDAYS = "0 7 * * 1";

export const ScheduleId = id("rsc");

/** The fields that users set. */
const fields = {
  name: line(200, "Subject of the e-mail"),
  message: text(2_000, "Text of the e-mail before the data"),
  reportId: nullable(ReportId),
  dashboardId: nullable(DashboardId),
  recipients: Type.Array(id("usr"), {
    minItems: 1,
    maxItems: RECIPIENTS_MAX,
    uniqueItems: true,
    description: "Members. Each recipient gets the data that they can view",
  }),
  schedule: Schedule,
  skipEmpty: Type.Boolean({
    description: "Whether to send no e-mail if all values are zero or missing",
  }),
  attachCsv: Type.Boolean({ description: "Whether to attach the rows as CSV files" }),
  enabled: Type.Boolean(),
};

export const NewReportSchedule = object(
  {
    name: fields.name,
    message: Type.Optional(fields.message),
    reportId: Type.Optional(fields.reportId),
    dashboardId: Type.Optional(fields.dashboardId),
    recipients: fields.recipients,
    schedule: Type.Optional(fields.schedule),
    skipEmpty: Type.Optional(fields.skipEmpty),
    attachCsv: Type.Optional(fields.attachCsv),
    enabled: Type.Optional(fields.enabled),
  },
  { title: "NewReportSchedule" },
);
export const ReportScheduleChange = Type.Object(
  {
    ...NewReportSchedule.properties,
    name: Type.Optional(fields.name),
    recipients: Type.Optional(fields.recipients),
  },
  { additionalProperties: false, minProperties: 1, title: "ReportScheduleChange" },
);

export const scheduleDefaults = {
  message: "",
  reportId: null,
  dashboardId: null,
  schedule: { cron: CRON_MONDAYS },
  skipEmpty: false,
  attachCsv: true,
  enabled: true,
};

const OUTCOMES = ["sent", "skipped", "failed"] as const;

/** The end of one mail: whether it was sent. */
export const MailOutcome = Type.Object(
  {
    userId: id("usr"),
    state: Type.Enum([...OUTCOMES]),
    reason: nullable(Type.String({ description: "Reason why it was not sent" })),
    at: Time,
  },
  { title: "ReportMailOutcome" },
);
export type MailOutcome = Static<typeof MailOutcome>;

export const ReportSchedule = Type.Object(
  {
    id: ScheduleId,
    ...fields,
    nextAt: nullable(Time),
    sentAt: nullable(Time),
    outcomes: Type.Array(MailOutcome, { description: "The last e-mail to each recipient" }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ReportSchedule" },
);

/** The mail as one person would get it. */
export const MailPreview = Type.Object(
  {
    subject: Type.String(),
    text: Type.String(),
    isEmpty: Type.Boolean({ description: "Whether all values are zero or missing" }),
    parts: Type.Array(
      Type.Object({
        title: Type.String(),
        status: Type.Enum(["ok", "failed"]),
        kind: Type.Enum(["report", "kpi", "text"]),
        message: Type.Optional(Type.String()),
        report: Type.Optional(Type.Unknown({ description: "The report with its chart" })),
        data: Type.Optional(Type.Unknown({ description: "The result, as in a widget" })),
        hasPicture: Type.Boolean(),
      }),
    ),
    attachments: Type.Array(Type.Object({ name: Type.String(), rows: Type.Integer() })),
  },
  { title: "ReportMailPreview" },
);

const about = { resource: "report_schedule" } as const;

export const ScheduleTriggered = event("report_schedule.triggered", {
  ...about,
  summary: "The sending of a report started, on schedule or manually.",
  data: Type.Object({
    scheduleId: ScheduleId,
    name: Type.String(),
    recipients: Type.Array(id("usr")),
  }),
});
export const ReportMailed = event("report_schedule.mailed", {
  ...about,
  summary: "A report was sent to a recipient, or sending it failed.",
  data: Type.Object({ scheduleId: ScheduleId, ...MailOutcome.properties }),
});

export const ScheduleNameTaken = failure(
  "report_schedule_name_taken",
  409,
  "Another schedule has this name.",
  "report_schedules_name",
);
export const TooManySchedules = failure(
  "too_many_report_schedules",
  409,
  `An environment can have at most ${SCHEDULES_MAX} report schedules.`,
);
