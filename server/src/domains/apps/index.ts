import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { unattendedApps } from "./deployments/store.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import * as definitionEvents from "./definition/events.ts";
import * as definition from "./definition/operations.ts";
import * as parts from "./definition/page-operations.ts";
import { appContent } from "./definition/pack.ts";
import { count } from "./definition/store.ts";
import * as deploymentEvents from "./deployments/events.ts";
import * as deployments from "./deployments/operations.ts";
import { appDefinitions } from "./deployments/stored-definition.ts";
import * as embeddingEvents from "./embedding/events.ts";
import * as embedding from "./embedding/operations.ts";
import { revokeUserTokens } from "./embedding/store.ts";
import * as permissions from "./permissions.ts";
import { AppActed } from "./runtime/events.ts";
import { followApp } from "./runtime/live.ts";
import { loginToApp } from "./runtime/login.ts";
import { openStage, previewDraft } from "./preview/operations.ts";
import { readErrors } from "./errors/operations.ts";
import { scaffoldApp } from "./scaffold/operations.ts";
import * as runtime from "./runtime/operations.ts";
import { domainRoutes } from "./public/domain-routes.ts";
import * as publicEvents from "./public/events.ts";
import { publicOperations } from "./public/operations.ts";
import { HostRoutePoint } from "#kernel/contributions/host-route.ts";

export { AppArchived, AppCreated, AppUpdated } from "./definition/events.ts";
export { type ServedAppEntry, listServed } from "./deployments/store.ts";
export { AppsUse } from "./permissions.ts";
export { prefixOf } from "./runtime/address.ts";
export { DeployRolledBack } from "./deployments/events.ts";

export const apps = domain({
  name: "apps",
  summary: "Internal apps: pages, data sources and deployments.",
  permissions: Object.values(permissions),
  events: [
    ...Object.values(definitionEvents),
    ...Object.values(deploymentEvents),
    ...Object.values(embeddingEvents),
    ...Object.values(publicEvents),
    AppActed,
  ],
  operations: [
    definition.listApps,
    definition.createApp,
    definition.readSchema,
    definition.getApp,
    definition.updateApp,
    definition.archiveApp,
    definition.unarchiveApp,
    parts.listPages,
    parts.createPage,
    parts.getPage,
    parts.updatePage,
    parts.deletePage,
    parts.listSources,
    parts.addSource,
    parts.updateSource,
    parts.removeSource,
    deployments.deployApp,
    deployments.rollBackApp,
    deployments.listDeployments,
    deployments.getDeployment,
    embedding.issueToken,
    embedding.listTokens,
    embedding.revokeToken,
    ...publicOperations,
    scaffoldApp,
    previewDraft,
    openStage,
    readErrors,
    followApp,
    runtime.openApp,
    runtime.readState,
    runtime.takeAction,
    runtime.readAsset,
    loginToApp,
  ],
  contributions: [
    contribute(PackContentPoint, appContent),
    contribute(InversePoint, {
      resourceType: "app",
      updated: ["app.updated"],
      get: "apps.get",
      update: "apps.update",
      parts: ["pages", "dataSources"],
    }),
    contribute(InversePoint, definition.archiveInverse),
    contribute(SearchSourcePoint, {
      kind: "app",
      permission: permissions.AppsRead,
      search: searchTable({
        table: "apps",
        title: "name",
        ref: "slug",
        detail: "description",
        where: "status = 'active'",
      }),
    }),
    contribute(HostRoutePoint, domainRoutes),
    contribute(UsageCounterPoint, { name: "apps", count }),
    contribute(AccountCredentialPoint, {
      kind: "app_embed_tokens",
      scope: "environment",
      revoke: revokeUserTokens,
    }),
    contribute(UnattendedWorkPoint, unattendedApps),
    contribute(StoredDefinitionPoint, ...appDefinitions),
  ],
});
