import type { Operation } from "#kernel/contract.ts";
import { authorityOf, findMembersByIds } from "#domains/identity/accounts/index.ts";
import { NotificationSent } from "#domains/notifications/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { assertNoErrors, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { ReportBroken, ReportTimedOut } from "../reports/report.ts";
import { checkReport } from "../reports/run-report.ts";
import { callerRunningAs } from "../run-as.ts";
import {
  Alert,
  AlertChange,
  AlertFired,
  AlertHistoryEntry,
  AlertId,
  AlertNameTaken,
  AlertResolved,
  ALERTS_MAX,
  NewAlert,
  TooManyAlerts,
} from "./alert.ts";
import { alertDefinition, findVerdict, saveFinding, scheduleCheck } from "./check-alert.ts";
import type { AlertRule } from "./rule.ts";
import { alertStore, alertTable, listChanges } from "./store.ts";

const id = "alt_01jd0000000000000000000000";
const ById = object({ id: AlertId });

export const alerts = resource({
  ...alertTable,
  name: "alert",
  plural: "alerts",
  effect: "ordinary",
  path: "/api/v1/analytics/alerts",
  idPrefix: "alt",
  input: NewAlert,
  change: AlertChange,
  defaults: {
    description: "",
    everyMinutes: 5,
    notify: [],
    enabled: true,
    state: "unknown",
    streak: 0,
    value: null,
    reason: null,
    since: null,
    checkedAt: null,
  },
  permissions: { read: AnalyticsRead, write: AnalyticsWrite },
  list: { order: "-id", search: ["name", "description"] },
  unique: AlertNameTaken,
  limit: { max: ALERTS_MAX, failure: TooManyAlerts },
  async prepare(platform, input, caller, before) {
    const report = input.report ?? before?.report;
    const rule = input.rule ?? before?.rule;
    if (!report || !rule) return;
    const definition = alertDefinition(report);
    assertRule(rule, definition.period !== undefined);
    // Checked with the rights of the caller, because later checks run with them.
    await checkReport({ platform, caller }, definition);
  },
  async check({ tx, caller }, input) {
    const members = new Set(
      (await findMembersByIds(tx, input.notify ?? [])).map((member) => member.id),
    );
    assertNoErrors(
      (input.notify ?? []).flatMap((userId, index) =>
        members.has(userId)
          ? []
          : [{ path: `/notify/${index}`, message: "is not an active member" }],
      ),
    );
    const { runAs, permissions } = authorityOf(caller);
    return { ...input, runAs, permissions: permissions && [...permissions] };
  },
  async afterWrite(ctx, alert) {
    if (alert.enabled) scheduleCheck(ctx, alert, ctx.now);
  },
  operations: {
    create: {
      summary: "Create an alert",
      description:
        "Checks its number at the given interval, with the permissions of the member who saved the alert last. `alert.fired` and `alert.resolved` are appended when the state changes: you can use them as triggers. `notify` lists the members to notify.",
    },
    update: { description: "Later checks use your permissions." },
    delete: { summary: "Delete an alert and its history" },
  },
  docs: {
    noun: "an alert",
    nouns: "alerts, newest first",
    events: { created: "An alert was created.", deleted: "An alert and its history were deleted." },
    examples: {
      id,
      input: {
        name: "Too many failed runs",
        report: {
          source: { kind: "runs" },
          filter: { status: "failed" },
          period: { from: "$now-1h" },
        },
        rule: { kind: "above", threshold: 5 },
        everyMinutes: 5,
      },
      change: { rule: { kind: "unusual", sensitivity: 3 } },
    },
  },
});

function assertRule({ kind, threshold }: AlertRule, hasPeriod: boolean): void {
  const needsThreshold = kind === "above" || kind === "below";
  if (needsThreshold && threshold === undefined)
    throw invalidField("/rule/threshold", `is required by ${kind}`);
  if (!needsThreshold && threshold !== undefined)
    throw invalidField("/rule/threshold", `is not allowed with ${kind}`);
  if (kind === "unusual" && !hasPeriod)
    throw invalidField("/report/period", "is required to compare with earlier weeks");
}

const listHistory = query({
  id: "alerts.history",
  route: "GET /api/v1/analytics/alerts/{id}/history",
  summary: "List the history of an alert, newest first",
  permission: AnalyticsRead,
  params: ById,
  query: object(pageQuery),
  response: page(AlertHistoryEntry),
  example: { params: { id }, query: { limit: 50 } },
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    await alertStore.get(tx, params.id);
    const list = `history of ${params.id}`;
    const before = after === undefined ? undefined : String(cursors.decode(list, after)[0]);
    const rows = await listChanges(tx, params.id, { before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ at }) => cursors.encode(list, [at]),
    );
  },
});

const checkAlert = command({
  id: "alerts.check",
  effect: "ordinary",
  route: "POST /api/v1/analytics/alerts/{id}/check",
  summary: "Check an alert now",
  description:
    "Uses the permissions of the member who saved the alert last, like scheduled checks.",
  permission: AnalyticsWrite,
  params: ById,
  response: item(Alert),
  emits: [AlertFired, AlertResolved, NotificationSent],
  // It emits events only for changes.
  allowNoop: true,
  fails: [ReportBroken, ReportTimedOut],
  example: { params: { id } },
  async prepare(platform, { params }, caller) {
    const partition = partitionOfCaller(caller);
    const alert = await platform.db.read(partition, (tx) => alertStore.get(tx, params.id));
    const runner = await callerRunningAs(platform, alert, { partition, cause: caller.cause });
    const finding = await findVerdict({ platform, caller: runner }, alert);
    return { finding, revision: alert.revision };
  },
  async run(ctx, { params }, { finding, revision }) {
    const [alert] = await alertStore.select(ctx.tx, "id = $1 for update", [params.id]);
    // If the alert was changed in the meantime, the check scheduled by that change evaluates it.
    if (alert?.revision === revision) await saveFinding(ctx, alert, finding);
    return alertStore.get(ctx.tx, params.id);
  },
});

export const alertOperations: readonly Operation[] = [
  ...alerts.operations,
  listHistory,
  checkAlert,
];
