import Type from "typebox";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import type { Operation } from "#kernel/contract.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { MailNotConfigured } from "#kernel/mail/mailer.ts";
import { assertNoErrors, Failure, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { object } from "#kernel/schema/schema.ts";
import { dashboards } from "../dashboards/operations.ts";
import { assertSchedule, nextTime } from "../kpis/schedule.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { ReportTimedOut } from "../reports/report.ts";
import { reportStore } from "../reports/store.ts";
import { composeReport } from "./compose.ts";
import { answerOf, readSubject } from "./content.ts";
import {
  MailPreview,
  NewReportSchedule,
  ReportSchedule,
  ReportScheduleChange,
  scheduleDefaults,
  ScheduleId,
  ScheduleNameTaken,
  SCHEDULES_MAX,
  ScheduleTriggered,
  TooManySchedules,
} from "./schedule.ts";
import { enqueueTrigger, triggerMails } from "./send-job.ts";
import { scheduleStore, scheduleTable, type StoredSchedule } from "./store.ts";

const id = "rsc_01jd0000000000000000000000";
const ById = object({ id: ScheduleId });

export const reportSchedules = resource({
  ...scheduleTable,
  name: "report_schedule",
  plural: "report_schedules",
  effect: "ordinary",
  path: "/api/v1/analytics/report-schedules",
  idPrefix: "rsc",
  input: NewReportSchedule,
  change: ReportScheduleChange,
  defaults: { ...scheduleDefaults, nextAt: null, sentAt: null, outcomes: [] },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name"] },
  unique: ScheduleNameTaken,
  limit: { max: SCHEDULES_MAX, failure: TooManySchedules },
  async check({ tx, now }, input, before) {
    const next = { ...scheduleDefaults, ...before, ...input };
    if (input.schedule) assertSchedule(input.schedule);
    await assertSubject(tx, next);
    await assertMembers(tx, input.recipients ?? []);
    const nextAt = next.enabled ? nextTime(next.schedule, now) : null;
    return { ...input, nextAt: nextAt?.toISOString() ?? null };
  },
  async afterWrite(ctx, schedule) {
    enqueueTrigger(ctx, schedule.id, schedule.nextAt);
  },
  operations: {
    create: {
      summary: "Create a report schedule",
      description:
        "Sends a report or a dashboard by e-mail to members, on schedule. Each recipient gets the data that they can view, with charts and, unless `attachCsv` is false, the rows as CSV. Former members get no e-mail.",
    },
  },
  docs: {
    noun: "a report schedule",
    nouns: "report schedules, newest first",
    events: { created: "A report schedule was created." },
    examples: {
      id,
      input: {
        name: "Service desk, every Monday",
        reportId: "rpt_01jd0000000000000000000000",
        recipients: ["usr_01jd0000000000000000000000"],
        schedule: { cron: "0 7 * * 1", timezone: "Europe/Berlin" },
        skipEmpty: true,
      },
      change: { enabled: false },
    },
  },
});

type Subject = Partial<Pick<StoredSchedule, "reportId" | "dashboardId">>;

async function assertSubject(tx: Tx, { reportId, dashboardId }: Subject): Promise<void> {
  if ((reportId ?? null) === null && (dashboardId ?? null) === null) {
    throw invalidField("/reportId", "is required, or a dashboardId");
  }
  if (reportId && dashboardId)
    throw invalidField("/dashboardId", "can't be combined with reportId");
  if (reportId && !(await reportStore.hold(tx, [reportId])).has(reportId)) {
    throw invalidField("/reportId", "does not exist");
  }
  if (dashboardId && !(await dashboards.store.hold(tx, [dashboardId])).has(dashboardId)) {
    throw invalidField("/dashboardId", "does not exist");
  }
}

async function assertMembers(tx: Tx, recipients: readonly string[]): Promise<void> {
  const members = new Set((await findMembersByIds(tx, recipients)).map((member) => member.id));
  assertNoErrors(
    recipients.flatMap((userId, index) =>
      members.has(userId)
        ? []
        : [{ path: `/recipients/${index}`, message: "is not an active member" }],
    ),
  );
}

/** The limit of manual sends per minute and workspace; each is up to 50 e-mails. */
const SENT_BY_HAND_MAX = 10;

const sendNow = command({
  id: "report_schedules.send",
  effect: "ordinary",
  route: "POST /api/v1/analytics/report-schedules/{id}/send",
  summary: "Send a report now",
  description: "Sends it to all recipients, or with `onlyMe` only to you.",
  permission: AnalyticsWrite,
  params: ById,
  body: object({ onlyMe: Type.Optional(Type.Boolean()) }),
  bodyOptional: true,
  response: item(ReportSchedule),
  emits: [ScheduleTriggered],
  fails: [MailNotConfigured],
  example: { params: { id }, body: { onlyMe: true } },
  async prepare(platform, _input, caller) {
    if (!platform.mailer.available) throw new Failure(MailNotConfigured);
    const { workspace } = partitionOfCaller(caller);
    platform.rateLimit.assert(`report mails ${workspace}`, SENT_BY_HAND_MAX);
  },
  async run(ctx, { params, body: { onlyMe = false } }) {
    const schedule = await scheduleStore.get(ctx.tx, params.id);
    const me = ctx.caller.principal?.id;
    triggerMails(ctx, schedule, onlyMe && me !== undefined ? [me] : schedule.recipients);
    return schedule;
  },
});

const previewMail = query({
  id: "report_schedules.preview",
  route: "GET /api/v1/analytics/report-schedules/{id}/preview",
  summary: "Preview the e-mail of a report as you would receive it",
  permission: AnalyticsRead,
  longRunning: true,
  params: ById,
  response: item(MailPreview),
  fails: [ReportTimedOut],
  example: { params: { id } },
  async prepare(platform, { params }, caller) {
    const partition = partitionOfCaller(caller);
    const schedule = await platform.db.read(partition, (tx) => scheduleStore.get(tx, params.id));
    const subject = await readSubject({ platform, caller }, schedule);
    const mail = await composeReport(schedule, subject, "");
    const pictures = new Set(mail.attachments.flatMap(({ cid }) => cid ?? []));
    return {
      subject: mail.subject,
      text: mail.text,
      isEmpty: subject.isEmpty,
      parts: subject.parts.map((part, index) => ({
        ...part,
        hasPicture: pictures.has(`chart-${index}@millrace`),
      })),
      attachments: subject.parts.flatMap((part, index) => {
        const rows = schedule.attachCsv ? answerOf(part)?.rowCount : undefined;
        return rows === undefined
          ? []
          : [{ name: `${part.title || `Report ${index + 1}`}.csv`, rows }];
      }),
    };
  },
  run: async (_ctx, _input, preview) => preview,
});

export const scheduleOperations: readonly Operation[] = [
  ...reportSchedules.operations,
  sendNow,
  previewMail,
];
