/** Schemas, events and failures of alerts. */
import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { ReportInput } from "../reports/report.ts";
import { AlertRule } from "./rule.ts";

export const ALERTS_MAX = 500;
const RECIPIENTS_MAX = 50;

export const AlertId = id("alt");

/** The fields that users set. */
export const alertFields = {
  name: line(200),
  description: text(2_000),
  report: ReportInput,
  rule: AlertRule,
  everyMinutes: Type.Integer({ minimum: 1, maximum: 1_440 }),
  notify: Type.Array(id("usr"), {
    maxItems: RECIPIENTS_MAX,
    description: "The members to notify when the alert fires and when it is resolved",
  }),
  enabled: Type.Boolean(),
};

export const NewAlert = object(
  {
    name: alertFields.name,
    description: Type.Optional(alertFields.description),
    report: alertFields.report,
    rule: alertFields.rule,
    everyMinutes: Type.Optional(alertFields.everyMinutes),
    notify: Type.Optional(alertFields.notify),
    enabled: Type.Optional(alertFields.enabled),
  },
  { title: "NewAlert" },
);
export const AlertChange = patch(alertFields);

export const AlertState = Type.Enum(["unknown", "ok", "firing"]);

export const Alert = Type.Object(
  {
    id: AlertId,
    ...alertFields,
    runAs: Type.String({
      description: "The member who saved the alert last. Checks use the permissions of this member",
    }),
    state: AlertState,
    value: nullable(
      Type.Number({
        description:
          "The value at the last check, with the permissions of the member who saved the alert. All members who can view alerts see it",
      }),
    ),
    reason: nullable(Type.String()),
    since: nullable(Time),
    checkedAt: nullable(Time),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Alert" },
);

export const AlertHistoryEntry = Type.Object(
  {
    at: Time,
    state: Type.Enum(["fired", "resolved"]),
    value: nullable(Type.Number()),
    reason: Type.String(),
  },
  { title: "AlertHistoryEntry" },
);
export type AlertHistoryEntry = Static<typeof AlertHistoryEntry>;

export const AlertNameTaken = failure(
  "alert_name_taken",
  409,
  "Another alert has this name.",
  "alerts_name",
);
export const TooManyAlerts = failure(
  "too_many_alerts",
  409,
  "The environment has reached its limit of alerts.",
);

const Change = Type.Object({
  alertId: AlertId,
  name: Type.String(),
  value: nullable(Type.Number()),
  reason: Type.String(),
  at: Time,
});
export const AlertFired = event("alert.fired", {
  resource: "alert",
  summary: "An alert fired. Workflows can use this event as a trigger.",
  data: Change,
});
export const AlertResolved = event("alert.resolved", {
  resource: "alert",
  summary: "An alert was resolved.",
  data: Change,
});
