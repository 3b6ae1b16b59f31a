/** The checks of alerts: each due time is checked once, on any number of nodes. */
import Type from "typebox";
import { findRights } from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { Failure, Internal, invalidField } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { reportClock } from "../reports/definition/period.ts";
import { type Definition, type ReportInput, toDefinition } from "../reports/report.ts";
import { runReport } from "../reports/run-report.ts";
import { callerRunningAs } from "../run-as.ts";
import { AlertFired, AlertId, AlertResolved } from "./alert.ts";
import { judgeValue, type Verdict, WEEKS } from "./rule.ts";
import { alertStore, insertChange, noteCheck, type StoredAlert } from "./store.ts";

const RETRY_DELAY_MAX_MS = 60_000;
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const REASON_CHARACTERS_MAX = 500;

/** The report definition of an alert; throws if it does not produce one number. */
export function alertDefinition(report: ReportInput): Definition {
  const definition = toDefinition(report);
  const { groupBy, timeBucket, timeParts, funnel, aggregates } = definition;
  if (groupBy.length > 0 || timeBucket || timeParts || funnel || aggregates.length !== 1) {
    throw invalidField("/report", "must return a single number: no groups, and one value");
  }
  return definition;
}

export interface Finding extends Verdict {
  readonly value: number | null;
}

/** Evaluates the current number of an alert and, if required, those of previous weeks. */
export async function findVerdict(
  request: ReportRequest,
  { report, rule }: Pick<StoredAlert, "report" | "rule">,
): Promise<Finding> {
  const definition = alertDefinition(report);
  const clock = await reportClock(request, definition.timezone);
  const valueAt = async (now: Date): Promise<number | null> => {
    const { columns, rows } = await runReport(request, definition, { clock: { ...clock, now } });
    const column = columns.find(({ role }) => role === "value");
    const value = column && rows[0]?.[column.name];
    return value === null || value === undefined ? null : Number(value);
  };
  const value = await valueAt(clock.now);
  const past: (number | null)[] = [];
  for (let week = 1; rule.kind === "unusual" && week <= WEEKS; week += 1) {
    past.push(await valueAt(new Date(clock.now.getTime() - week * WEEK_MS)));
  }
  return { value, ...judgeValue(rule, value, past) };
}

/** Schedules the next check, and replaces a scheduled one. */
export function scheduleCheck(
  ctx: WriteContext<never>,
  { id: alertId }: Pick<StoredAlert, "id">,
  dueAt: Date,
): void {
  const due = { ...partitionOfCaller(ctx.caller), alertId, dueAt: dueAt.toISOString() };
  ctx.enqueue(checkAlertJob, due, { key: alertId, dueAt, onConflict: "move" });
}

/** One check of one alert. Its result and the next check are written in the transaction that completes the job. */
export const checkAlertJob = job({
  kind: "analytics.alert",
  payload: Type.Object({
    workspace: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    alertId: AlertId,
    dueAt: Time,
  }),
  emits: [AlertFired, AlertResolved, NotificationSent],
  // A job that gave up would end the checks for good.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  timeoutMs: 120_000,
  concurrency: 2,
  async effect(platform, { alertId, workspace, environment }) {
    const partition = { workspace, environment };
    const alert = await platform.db.read(partition, (tx) => alertStore.find(tx, alertId));
    // Checks do not run after the alert's owner has left.
    if (!alert?.enabled || !(await findRights(platform, workspace, alert))) return undefined;
    const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
    const caller = await callerRunningAs(platform, alert, { partition, cause });
    const finding = await findOrFail({ platform, caller }, alert);
    return { finding, cause, revision: alert.revision };
  },
  async run(ctx, { alertId }, found) {
    const [alert] = await alertStore.select(ctx.tx, "id = $1 for update", [alertId]);
    if (!alert?.enabled) return;
    // The alert was changed during the check, so it is checked again.
    if (found && found.revision !== alert.revision) return scheduleCheck(ctx, alert, ctx.now);
    if (found) {
      ctx.setActor(SYSTEM_ACTOR, found.cause);
      await saveFinding(ctx, alert, found.finding);
    }
    scheduleCheck(ctx, alert, new Date(ctx.now.getTime() + alert.everyMinutes * MINUTE_MS));
  },
});

/** A failure that the user can fix is a reason, not a verdict. */
async function findOrFail(request: ReportRequest, alert: StoredAlert): Promise<Finding | string> {
  try {
    return await findVerdict(request, alert);
  } catch (error) {
    if (!(error instanceof Failure) || error.type.status >= Internal.status) throw error;
    return error.message.slice(0, REASON_CHARACTERS_MAX);
  }
}

type CheckContext = WriteContext<
  typeof AlertFired | typeof AlertResolved | typeof NotificationSent
>;

/** Saves a finding; a change of state emits one event and one set of notifications. */
export async function saveFinding(
  ctx: CheckContext,
  alert: StoredAlert,
  finding: Finding | string,
): Promise<void> {
  const { id, name, state, since, rule, streak: before } = alert;
  const at = ctx.now.toISOString();
  if (typeof finding === "string") {
    const unknown = { state: "unknown" as const, streak: 0, value: null, reason: finding };
    const from = state === "unknown" ? since : at;
    return noteCheck(ctx.tx, id, { ...unknown, since: from, checkedAt: at });
  }
  const { isBad, reason, value } = finding;
  const streak = isBad ? before + 1 : 0;
  // A firing alert keeps firing until the number is normal.
  const isFiring = isBad && (state === "firing" || streak >= (rule.checks ?? 1));
  const next = isFiring ? ("firing" as const) : ("ok" as const);
  await noteCheck(ctx.tx, id, {
    state: next,
    streak,
    value,
    reason,
    since: next === state ? since : at,
    checkedAt: at,
  });
  const isResolved = next === "ok" && state === "firing";
  if (!isResolved && (next !== "firing" || state === "firing")) return;
  await insertChange(ctx.tx, id, { at, state: isResolved ? "resolved" : "fired", value, reason });
  const data = { alertId: id, name, value, reason, at };
  if (isResolved) ctx.emit(AlertResolved, { id, displayName: name }, data);
  else ctx.emit(AlertFired, { id, displayName: name }, data);
  await notify(ctx, {
    userIds: alert.notify,
    title: isResolved ? `${name}: resolved` : `${name}: alert`,
    body: reason,
    about: {
      eventType: (isResolved ? AlertResolved : AlertFired).type,
      resource: { type: "alert", id },
    },
    mail: { path: `/alerts/${id}` },
  });
}
