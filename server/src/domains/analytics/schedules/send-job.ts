/**
 * The e-mails of report schedules. The job of a schedule enqueues one job per recipient and its own next run, in
 * one transaction; each of those computes the numbers with the recipient's current rights, and sends them.
 */
import Type from "typebox";
import { findMemberNames, findRights } from "#domains/identity/accounts/index.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { partitionOfCaller, systemCaller } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { MailNotConfigured } from "#kernel/mail/mailer.ts";
import { Failure, Internal } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import { publicUrl } from "#kernel/settings.ts";
import { job } from "#kernel/work/job.ts";
import { nextTime } from "../kpis/schedule.ts";
import { AnalyticsRead } from "../permissions.ts";
import { composeReport } from "./compose.ts";
import { readSubject } from "./content.ts";
import { type MailOutcome, ReportMailed, ScheduleId, ScheduleTriggered } from "./schedule.ts";
import { noteNext, noteOutcome, scheduleStore, type StoredSchedule } from "./store.ts";

const ATTEMPTS_MAX = 6;
/** An unavailable mail server is retried for a quarter of an hour. */
const MAIL_RETRY_MS = 30_000;
const RETRY_DELAY_MAX_MS = 600_000;
const REASON_CHARACTERS_MAX = 500;

const Place = {
  workspace: Type.String(),
  environment: Type.Enum(["production", "staging", "development"]),
};

/** Enqueues the next run of a schedule, and replaces an enqueued one. */
export function enqueueTrigger(
  ctx: WriteContext<never>,
  scheduleId: string,
  dueAt: string | null,
): void {
  if (dueAt === null) return;
  const options = { key: scheduleId, dueAt: new Date(dueAt), onConflict: "move" } as const;
  ctx.enqueue(triggerScheduleJob, { scheduleId, dueAt }, options);
}

/** One due time of a schedule. Times that passed while no node was running are combined into one. */
export const triggerScheduleJob = job({
  kind: "analytics.report_schedule",
  payload: Type.Object({ scheduleId: ScheduleId, dueAt: Time }),
  emits: [ScheduleTriggered],
  // A job that gave up would end the schedule for good.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async run(ctx, { scheduleId, dueAt }) {
    const [schedule] = await scheduleStore.select(ctx.tx, "id = $1 for update", [scheduleId]);
    if (!schedule?.enabled) return;
    // A change just now may have set other times than this one.
    if (schedule.nextAt === dueAt) {
      ctx.setActor(SYSTEM_ACTOR);
      triggerMails(ctx, schedule, schedule.recipients);
    }
    const after = new Date(Math.max(ctx.now.getTime(), Date.parse(dueAt)));
    const next = nextTime(schedule.schedule, after)?.toISOString() ?? null;
    await noteNext(ctx.tx, scheduleId, next);
    enqueueTrigger(ctx, scheduleId, next);
  },
});

/** Begins to send a schedule's report to these people. */
export function triggerMails(
  ctx: WriteContext<typeof ScheduleTriggered>,
  { id: scheduleId, name }: Pick<StoredSchedule, "id" | "name">,
  recipients: readonly string[],
): void {
  const data = { scheduleId, name, recipients: [...recipients] };
  ctx.emit(ScheduleTriggered, { id: scheduleId, displayName: name }, data);
  for (const userId of recipients) {
    ctx.enqueue(reportMailJob, { ...partitionOfCaller(ctx.caller), scheduleId, userId });
  }
}

/** One e-mail to one person. */
export const reportMailJob = job({
  kind: "analytics.report_mail",
  payload: Type.Object({ ...Place, scheduleId: ScheduleId, userId: id("usr") }),
  emits: [ReportMailed],
  attemptsMax: ATTEMPTS_MAX,
  retryDelayMs: (attempt) => MAIL_RETRY_MS * 2 ** (attempt - 1),
  timeoutMs: 120_000,
  concurrency: 2,
  async effect(platform, { scheduleId, userId, ...partition }, { id: jobId, number }) {
    const schedule = await platform.db.read(partition, (tx) => scheduleStore.find(tx, scheduleId));
    if (!schedule) return undefined;
    try {
      return await sendReport(platform, { schedule, userId, partition, jobId });
    } catch (error) {
      const isTheirs = error instanceof Failure && error.type.status < Internal.status;
      // The mail server may be temporarily unavailable; the final error is reported.
      if (!isTheirs && number < ATTEMPTS_MAX) throw error;
      if (!isTheirs) platform.log.error({ err: error }, "Can't send a report.");
      const message = isTheirs ? error.message : "The mail server rejected the e-mail.";
      return { state: "failed" as const, reason: message.slice(0, REASON_CHARACTERS_MAX) };
    }
  },
  async run(ctx, { scheduleId, userId }, result) {
    const [schedule] = await scheduleStore.select(ctx.tx, "id = $1 for update", [scheduleId]);
    if (!schedule || !result) return;
    const outcome: MailOutcome = { userId, ...result, at: ctx.now.toISOString() };
    await noteOutcome(ctx.tx, scheduleId, outcome);
    const resource = { id: scheduleId, displayName: schedule.name };
    ctx.emit(ReportMailed, resource, { scheduleId, ...outcome });
  },
});

interface Sending {
  readonly schedule: StoredSchedule;
  readonly userId: string;
  readonly partition: Partition;
  readonly jobId: string;
}

async function sendReport(
  platform: Platform,
  { schedule, userId, partition, jobId }: Sending,
): Promise<Omit<MailOutcome, "userId" | "at">> {
  const rights = await findRights(platform, partition.workspace, {
    runAs: userId,
    permissions: null,
  });
  if (!rights) return { state: "skipped", reason: "The recipient is no longer a member." };
  if (!holdsPermission(rights.permissions, AnalyticsRead)) {
    return {
      state: "skipped",
      reason: `The recipient needs the permission ${AnalyticsRead.name}.`,
    };
  }
  if (!platform.mailer.available) throw new Failure(MailNotConfigured);
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  const caller = { ...systemCaller(partition, cause), ...rights };
  const subject = await readSubject({ platform, caller }, schedule);
  if (schedule.skipEmpty && subject.isEmpty)
    return { state: "skipped", reason: "The report was empty." };
  const { recipient, slug } = await platform.db.read(partition, async (tx) => ({
    recipient: (await findMemberNames(tx, [userId]))[0],
    slug: (await workspaceOf(tx, partition.workspace)).slug,
  }));
  if (!recipient) return { state: "skipped", reason: "The recipient is no longer a member." };
  const link = buildLink(platform, subject.path, { slug, environment: partition.environment });
  const mail = await composeReport(schedule, subject, link);
  await platform.mailer.send({ to: recipient.email, ...mail }, jobId);
  return { state: "sent", reason: null };
}

/** The page of the console with the same numbers. */
export function buildLink(
  platform: Pick<Platform, "settings">,
  path: string,
  { slug, environment }: { readonly slug: string; readonly environment: string },
): string {
  const url = new URL(`${publicUrl(platform)}${path}`);
  url.searchParams.set("workspace", slug);
  if (environment !== "production") url.searchParams.set("environment", environment);
  return url.href;
}
