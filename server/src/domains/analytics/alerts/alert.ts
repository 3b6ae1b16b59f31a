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

/** The fields that people decide. */
export const alertFields = {
  name: line(200),
  description: text(2_000),
  report: ReportInput,
  rule: AlertRule,
  everyMinutes: Type.Integer({ minimum: 1, maximum: 1_440 }),
  notify: Type.Array(id("usr"), {
    maxItems: RECIPIENTS_MAX,
    description: "The members who are told when it fires and when it is resolved",
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
    runAs: Type.String({ description: "Whose rights it has: of whoever saved it last" }),
    state: AlertState,
    value: nullable(
      Type.Number({
        description:
          "The number at the last check, as whoever saved the alert sees it; all who read alerts see it",
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
  "The environment has as many alerts as it may.",
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
  summary: "The number of an alert came to need somebody. Workflows can start with it.",
  data: Change,
});
export const AlertResolved = event("alert.resolved", {
  resource: "alert",
  summary: "The number of an alert is as it should be again.",
  data: Change,
});
