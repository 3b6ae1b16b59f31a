/** App sessions: an open app with its caller, authenticated with a session, a token, or an embed token. */
import {
  listMemberships,
  findMemberNames,
  intersectRights,
  requireRights,
  resolvePermissions,
} from "#domains/identity/accounts/index.ts";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Caller, Principal } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/database.ts";
import {
  Failure,
  Forbidden,
  NoSuchWorkspace,
  NotFound,
  Unauthenticated,
} from "#kernel/operation/failure.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { normalizePath, type Page } from "../definition/app.ts";
import { findServed, type ServedApp } from "../deployments/store.ts";
import { type EmbedClaims, EmbedRefused, verifyToken } from "../embedding/embed-token.ts";
import { find as findToken } from "../embedding/store.ts";
import { type CallOperation, operationCallerFor } from "#kernel/operation/call-operation.ts";
import { AppsUse } from "../permissions.ts";
import { openForVisitor } from "../public/visitor.ts";
import { buildAppPath, prefixOf } from "./address.ts";
import type { Region } from "./browser/page-state.ts";

/** The app in a request. */
export interface AppRequest {
  readonly workspace: string;
  readonly slug: string;
  readonly environment: EnvironmentName | undefined;
  readonly embedToken: string | undefined;
  /** True for a request that another site can make a browser send, and that must not change anything. */
  readonly isSafe?: boolean;
  /** True for actions, which have lower limits for visitors. */
  readonly isAct?: boolean;
  /** The user's time zone, as reported by the browser. */
  readonly timeZone?: string | undefined;
}

/** An open app, with the caller who opened it. */
export interface AppSession {
  readonly platform: Platform;
  /** The partition of the app's workspace and environment. */
  readonly caller: Caller;
  readonly partition: Partition;
  readonly perform: CallOperation;
  /** Performs an action that the app grants to the caller: starting a workflow, if its deployer may. */
  readonly performGranted: CallOperation;
  readonly user: Principal & { readonly name: string; readonly email: string };
  readonly served: ServedApp;
  /** The claims of the embed token; undefined for a logged-in caller. */
  readonly embed?: EmbedClaims & { readonly text: string };
  /** True for a visitor without an account. */
  readonly isPublic?: boolean;
  /** The path of a page of this app, with the environment or embed token of this session. */
  readonly pathTo: (page: string, params?: Readonly<Record<string, string>>) => string;
  readonly region: Region;
  /** The path prefix of this server's pages. */
  readonly prefix: string;
  readonly workspaceSlug: string;
  /** True if sources with side effects are left to the page's own request. */
  readonly defersEffects: boolean;
}

/** Opens an app, or throws the failure. */
export async function openAppSession(
  platform: Platform,
  caller: Caller,
  request: AppRequest,
): Promise<AppSession> {
  const opened =
    request.embedToken === undefined
      ? ((await openPublic(platform, caller, request)) ?? openByMembership(caller, request))
      : await openByEmbedToken(platform, caller, request, request.embedToken);
  const { workspace, environment } = opened.caller;
  if (!workspace) throw new Error("Nobody enters without a workspace.");
  if (!opened.caller.permissions.has(AppsUse.name)) {
    throw new Failure(Forbidden, { detail: `This requires the permission ${AppsUse.name}.` });
  }
  const partition = { workspace: workspace.key, environment };
  const [served, region] = await platform.db.read(partition, (tx) =>
    Promise.all([findServed(tx, request.slug), readRegion(tx)]),
  );
  const { embed } = opened;
  if (!served || (embed && embed.appId !== served.appId)) {
    if (embed) throw new Failure(EmbedRefused);
    throw new Failure(NotFound, {
      detail: "No app with this name is deployed in this environment.",
    });
  }
  const fixedQuery: Record<string, string> = embed
    ? { embed_token: embed.text }
    : environment === "production"
      ? {}
      : { environment };
  const address = { origin: caller.origin, workspace: request.workspace, slug: request.slug };
  const { limited, granted } = await limitToDeployer(platform, opened.caller, served);
  const from = `/apps/${request.workspace}/${request.slug}`;
  return {
    platform,
    ...opened,
    caller: limited,
    partition,
    served,
    region: withTimeZone(region, request.timeZone),
    perform: operationCallerFor(platform, limited, from),
    performGranted: operationCallerFor(platform, granted, from),
    pathTo: (path, params = {}) =>
      buildAppPath(
        { ...address, path, isAtDomain: caller.isAtDomain },
        { ...params, ...fixedQuery },
      ),
    prefix: prefixOf(caller.origin),
    workspaceSlug: request.workspace,
    defersEffects: request.isSafe ?? false,
  };
}

/** The region with the user's time zone, if it is valid. */
export function withTimeZone(region: Region, timeZone: string | undefined): Region {
  if (timeZone === undefined) return region;
  try {
    // Throws if the time zone is unknown.
    return {
      ...region,
      timeZone: new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone,
    };
  } catch {
    return region;
  }
}

/** Reads how the workspace writes numbers and times. */
export async function readRegion(tx: Tx): Promise<Region> {
  const { locale, timezone } = await tx
    .selectFrom("workspaces")
    .select(["locale", "timezone"])
    .where("key", "=", sql<string>`current_setting('millrace.workspace')::uuid`)
    .executeTakeFirstOrThrow();
  return { locale, timeZone: timezone };
}

/**
 * Limits the caller's rights to those of the app's deployer: an app is their code, and must not use the rights of
 * its users for more than they could do themselves.
 */
async function limitToDeployer(
  platform: Platform,
  caller: Caller,
  { deployedBy: runAs, permissions }: ServedApp,
): Promise<{ readonly limited: Caller; readonly granted: Caller }> {
  const { workspace, principal } = caller;
  if (!workspace || !principal) throw new Error("Nobody enters without a workspace.");
  const deployer = await requireRights(platform, workspace.key, { runAs, permissions });
  const limited: Caller = {
    ...caller,
    ...intersectRights({ ...caller, principal }, deployer),
    isDelegated: true,
  };
  const further = GRANTED.filter((name) => deployer.permissions.has(name));
  return {
    limited,
    granted: { ...limited, permissions: limited.permissions.union(new Set(further)) },
  };
}

/** The permissions that an app can grant to its users, for actions that declare them. */
const GRANTED = ["workflows:trigger"];

/** Gets the page of a path; an embed token for one page opens no other. */
export function getPage({ served, embed }: AppSession, path: string): Page {
  const { pages } = served.snapshot;
  const [first] = pages;
  const pagePath = normalizePath(path.replace(/\/+$/, ""));
  const found = pages.find((page) => page.path === pagePath);
  if (embed && embed.pageId !== null) {
    const tokenPage = pages.find(({ id }) => id === embed.pageId);
    if (!tokenPage || (pagePath !== "/" && found !== tokenPage)) throw new Failure(EmbedRefused);
    return tokenPage;
  }
  const page = found ?? (pagePath === "/" ? first : undefined);
  if (!page) throw new Failure(NotFound);
  return page;
}

type SessionIdentity = Pick<AppSession, "caller" | "user" | "embed" | "isPublic">;

/** Opens the app for a member of the workspace as themselves, and for all others as a visitor. */
async function openPublic(
  platform: Platform,
  caller: Caller,
  request: AppRequest,
): Promise<SessionIdentity | undefined> {
  if (caller.credential?.memberships.has(request.workspace)) return undefined;
  return openForVisitor(platform, caller, request);
}

function openByMembership(caller: Caller, request: AppRequest): SessionIdentity {
  const { credential } = caller;
  if (!credential) throw new Failure(Unauthenticated);
  const membership = credential.memberships.get(request.workspace);
  if (!membership) throw new Failure(NoSuchWorkspace);
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  const { workspace, permissions, roles } = membership;
  const { user } = credential;
  return {
    user: { ...user, roles },
    caller: {
      ...caller,
      workspace,
      environment: request.environment ?? "production",
      permissions,
      principal: { id: user.id, roles },
    },
  };
}

/** Uses the current permissions of the member who created the token. */
async function openByEmbedToken(
  platform: Platform,
  caller: Caller,
  request: AppRequest,
  text: string,
): Promise<SessionIdentity> {
  const claims = verifyToken(platform, text);
  if (!claims) throw new Failure(EmbedRefused);
  const { workspace, environment } = claims;
  const token = await platform.db.read({ workspace, environment }, (tx) =>
    findToken(tx, claims.id),
  );
  if (!token || token.revokedAt !== null) throw new Failure(EmbedRefused);
  platform.rateLimit.assert(`embed ${token.id}`, platform.settings.rateLimit);
  const [member] = await listMemberships(platform.db, token.createdBy, workspace);
  if (!member || member.barred || member.slug !== request.workspace)
    throw new Failure(EmbedRefused);
  const [user] = await platform.db.read({ workspace, environment }, (tx) =>
    findMemberNames(tx, [token.createdBy]),
  );
  if (!user) throw new Failure(EmbedRefused);
  const held = resolvePermissions(member.roles, member.granted, platform.permissions);
  const { permissions } = token;
  const { credential: _, idempotencyScope: __, ...rest } = caller;
  return {
    embed: { ...claims, text },
    user: { ...user, roles: member.roles },
    caller: {
      ...rest,
      credential: undefined,
      actor: { id: user.id, name: user.name, type: "user" },
      workspace: { key: workspace, id: workspaceIdOf(workspace) },
      environment,
      permissions: permissions ? new Set(permissions.filter((name) => held.has(name))) : held,
      principal: { id: user.id, roles: member.roles },
    },
  };
}
