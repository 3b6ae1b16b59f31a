import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { actionDefinition } from "./openapi/stored-action.ts";
import { findInTable, ReferenceSourcePoint } from "#kernel/contributions/reference-source.ts";
import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { unattendedConnectors } from "./store.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { ExecutorPoint } from "#domains/runs/index.ts";
import {
  NodeTypePoint,
  PalettePoint,
  ReferenceCheckPoint,
  UsedConnectorPoint,
} from "#domains/workflows/index.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import {
  NotificationRulePoint,
  type NotificationRule,
} from "#kernel/contributions/notification-rule.ts";
import { contribute } from "#kernel/extension-point.ts";
import { getPreset, listPresets } from "./catalogue/operations.ts";
import { consentExpiryJob } from "./consent/expiry.ts";
import * as consentEvents from "./consent/events.ts";
import * as consent from "./consent/operations.ts";
import * as environments from "./environments/operations.ts";
import * as events from "./events.ts";
import { listConnectorTypes } from "./operations.ts";
import { connectorContent } from "./pack.ts";
import { ConnectorsInvoke, ConnectorsRead, ConnectorsWrite } from "./permissions.ts";
import { connectors as resource } from "./resource.ts";
import { checkConnectorNodes, findUsedConnectors } from "./invocation/check-references.ts";
import * as invocation from "./invocation/operations.ts";
import { connectorEntries } from "./invocation/palette.ts";
import { checkConnectorTriggers } from "./triggers/check-triggers.ts";
import * as triggerEvents from "./triggers/events.ts";
import { receiveConnectorHook, verifyConnectorHook } from "./triggers/hook-operation.ts";
import { listenerReader } from "./triggers/listener-reader.ts";
import { listListeners } from "./triggers/operations.ts";
import { pollJob } from "./triggers/poll.ts";
import { subscribeJob, unsubscribeJob } from "./triggers/subscription.ts";
import { getConnectorUsage } from "./invocation/usage.ts";

export {
  type ContributedAction,
  type ContributedCall,
  ConnectorActionPoint,
  type ConnectorActions,
  type ConnectorRef,
} from "./invocation/contributed-actions.ts";
export { toIdempotencyKey } from "./invocation/operations.ts";
export { ConnectorsInvoke } from "./permissions.ts";
export type {
  ChatAnswer,
  ChatInput,
  Message as ChatMessage,
  ToolOffer as ChatTool,
} from "./types/models/chat.ts";
export { callModelsFor } from "./types/models/model-call.ts";

/** Also after a manual test, because other callers rely on the connector. */
const downNotification: NotificationRule = {
  on: events.ConnectorStatusChanged,
  when: ({ data }) => statusOf(data["after"]) === "down",
  to: ["owner", "admin"],
  title: ({ resource }) => `The connector ${resource.displayName ?? resource.id} is down`,
  body: ({ data }) => String(data["reason"]),
};

const expiredNotification: NotificationRule = {
  on: consentEvents.ConsentExpired,
  to: ["owner", "admin"],
  title: () => "A connector needs a new consent",
  body: () => "The other system does not renew the consent. Open the connector and consent again.",
};

const expiryNotification: NotificationRule = {
  on: consentEvents.ConsentExpiryAnnounced,
  to: ["owner", "admin"],
  title: () => "A connector needs a new consent soon",
  body: ({ data }) =>
    `What was consented to ends on ${String(data["expiresAt"]).slice(0, 10)}; open the connector and consent again.`,
};

const subscriptionNotification: NotificationRule = {
  on: triggerEvents.SubscriptionFailed,
  to: ["owner", "admin"],
  title: () => "A trigger could not be subscribed",
  body: ({ data }) => String(data["problem"]),
};

export const connectors = domain({
  name: "connectors",
  summary: "Connectors: APIs, databases, mail servers and chats of other systems.",
  environmentScoped: false,
  permissions: [ConnectorsInvoke, ConnectorsRead, ConnectorsWrite],
  events: [
    resource.events.created,
    resource.events.updated,
    resource.events.deleted,
    events.ConnectorStatusChanged,
    events.ConnectorTested,
    events.ConnectorInvoked,
    ...Object.values(consentEvents),
    ...Object.values(triggerEvents),
    environments.EnvironmentCredentialsSet,
    environments.EnvironmentCredentialsRemoved,
  ],
  operations: [
    ...resource.operations,
    listConnectorTypes,
    listPresets,
    getPreset,
    invocation.listActions,
    invocation.testConnector,
    invocation.invokeConnector,
    invocation.refreshConnector,
    consent.authorizeConnector,
    consent.giveConsent,
    consent.getConsent,
    consent.withdrawConsent,
    getConnectorUsage,
    environments.listConnectorEnvironments,
    environments.setConnectorEnvironment,
    environments.removeConnectorEnvironment,
    receiveConnectorHook,
    verifyConnectorHook,
    listListeners,
  ],
  readers: [listenerReader],
  jobs: [pollJob, subscribeJob, unsubscribeJob, consentExpiryJob],
  contributions: [
    contribute(StoredDefinitionPoint, actionDefinition),
    contribute(PackContentPoint, connectorContent),
    contribute(SearchSourcePoint, {
      kind: "connector",
      permission: ConnectorsRead,
      search: searchTable({ table: "connectors", title: "name", detail: "type" }),
    }),
    contribute(UsageCounterPoint, { name: "connectors", count: resource.store.count }),
    contribute(
      NotificationRulePoint,
      downNotification,
      expiredNotification,
      expiryNotification,
      subscriptionNotification,
    ),
    contribute(ReferenceSourcePoint, {
      kind: "connector",
      permission: ConnectorsRead,
      find: findInTable("connectors", "config", "auth"),
    }),
    contribute(UnattendedWorkPoint, unattendedConnectors),
    contribute(ExecutorPoint, invocation.connectorStep),
    contribute(ReferenceCheckPoint, checkConnectorNodes, checkConnectorTriggers),
    contribute(UsedConnectorPoint, findUsedConnectors),
    contribute(NodeTypePoint, invocation.connectorStep.type),
    contribute(PalettePoint, connectorEntries),
  ],
});

function statusOf(connector: unknown): unknown {
  return (Object(connector) as { readonly status?: unknown }).status;
}
