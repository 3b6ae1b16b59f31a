import { tableSource } from "#kernel/contributions/report-source.ts";
import { WebhooksRead } from "../webhook.ts";

const text = (sql: string) => ({ sql, kind: "text" as const });
const number = (sql: string) => ({ sql, kind: "number" as const });
const time = (sql: string) => ({ sql, kind: "time" as const, type: "timestamptz" });

/** The deliveries of webhooks, for reports. */
export const deliveriesSource = tableSource({
  kind: "deliveries",
  summary: "Webhook deliveries.",
  permission: WebhooksRead,
  from: "deliveries d left join webhooks w on w.id = d.webhook_id",
  key: [
    { sql: "d.webhook_id", type: "text" },
    { sql: "d.id", type: "text" },
  ],
  time: "createdAt",
  fields: {
    id: text("d.id"),
    webhookId: text("d.webhook_id"),
    webhookName: text("w.name"),
    eventType: text("d.event_type"),
    resourceId: text("d.resource_id"),
    status: text("d.status"),
    attempts: number("d.attempts"),
    lastAttemptAt: time("d.last_attempt_at"),
    lastResponseStatus: number("d.last_response_status"),
    lastDurationMs: number("d.last_duration_ms"),
    lastError: text("d.last_error"),
    nextAttemptAt: time("d.due_at"),
    replayOf: text("d.replay_of"),
    createdAt: time("d.created_at"),
  },
});
