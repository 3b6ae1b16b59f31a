import { findInTable, ReferenceSourcePoint } from "#kernel/contributions/reference-source.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { EventFollowerPoint } from "#kernel/contributions/event-follower.ts";
import { CausalTracerPoint } from "#kernel/contributions/causal-tracer.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import {
  NotificationRulePoint,
  type NotificationRule,
} from "#kernel/contributions/notification-rule.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { contribute } from "#kernel/extension-point.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { replayMissedJob } from "./deliveries/replay-missed-events.ts";
import * as deliveries from "./deliveries/operations.ts";
import { deliveryRetentionJob } from "./deliveries/retention.ts";
import { deliveriesSource } from "./deliveries/report-source.ts";
import { deliveryRemovalJob } from "./deliveries/retention.ts";
import { listHealth } from "./health/operations.ts";
import { recoverJob } from "./recovery/recover.ts";
import { countRecoverable, listRecoveries, recoverDeliveries } from "./recovery/operations.ts";
import * as testEndpointEvents from "./test-endpoints/events.ts";
import * as testEndpoints from "./test-endpoints/operations.ts";
import { endpointRetentionJob, receiveRequest } from "./test-endpoints/receive.ts";
import { deliveryTracer } from "./deliveries/delivery-tracer.ts";
import { fanOutReader } from "./sending/fan-out.ts";
import { sender } from "./sending/sender.ts";
import * as events from "./events.ts";
import * as operations from "./operations.ts";
import { webhookContent } from "./pack.ts";
import { simulateWebhook } from "./preview/simulation.ts";
import { webhookDefinition } from "./webhook-input.ts";
import { webhookFollowers } from "./followers.ts";
import { WebhooksRead, WebhooksWrite } from "./webhook.ts";
import { count, unattendedWebhooks } from "./store.ts";

/** Notifies admins of an automatic pause; a manual one needs no notification. */
const pauseNotification: NotificationRule = {
  on: events.WebhookPaused,
  when: ({ data }) => data["pausedBecause"] !== "manual",
  to: ["owner", "admin"],
  title: ({ resource }) => `The webhook ${resource.displayName ?? resource.id} was paused`,
  body: ({ data }) =>
    data["pausedBecause"] === "gone"
      ? `Its endpoint ${String(data["url"])} answered that it is gone (410).`
      : `Deliveries to ${String(data["url"])} failed ${String(data["consecutiveFailures"])} times in a row.`,
};

export const webhooks = domain({
  name: "webhooks",
  summary: "Webhooks: events sent to other systems as signed HTTPS requests.",
  environmentScoped: false,
  permissions: [WebhooksRead, WebhooksWrite],
  events: [...Object.values(events), ...Object.values(testEndpointEvents)],
  operations: [
    operations.listWebhooks,
    operations.createWebhook,
    operations.previewWebhook,
    simulateWebhook,
    operations.getWebhook,
    operations.updateWebhook,
    operations.deleteWebhook,
    operations.testWebhook,
    operations.rotateWebhookSecret,
    deliveries.listDeliveries,
    deliveries.getDelivery,
    deliveries.retryDelivery,
    deliveries.replayDelivery,
    recoverDeliveries,
    listRecoveries,
    countRecoverable,
    listHealth,
    deliveries.resumeWebhook,
    testEndpoints.listTestEndpoints,
    testEndpoints.createTestEndpoint,
    testEndpoints.getTestEndpoint,
    testEndpoints.updateTestEndpoint,
    testEndpoints.deleteTestEndpoint,
    testEndpoints.listTestRequests,
    receiveRequest,
  ],
  readers: [fanOutReader],
  engines: [sender],
  jobs: [
    replayMissedJob,
    recoverJob,
    deliveryRetentionJob,
    deliveryRemovalJob,
    endpointRetentionJob,
  ],
  contributions: [
    contribute(PackContentPoint, webhookContent),
    contribute(StoredDefinitionPoint, webhookDefinition),
    contribute(UsageCounterPoint, { name: "webhooks", count }),
    contribute(CausalTracerPoint, deliveryTracer),
    contribute(NotificationRulePoint, pauseNotification),
    contribute(ReportSourcePoint, deliveriesSource),
    contribute(EventFollowerPoint, webhookFollowers),
    contribute(ReferenceSourcePoint, {
      kind: "webhook",
      permission: WebhooksRead,
      find: findInTable("webhooks", "headers"),
    }),
    contribute(UnattendedWorkPoint, unattendedWebhooks),
  ],
});
