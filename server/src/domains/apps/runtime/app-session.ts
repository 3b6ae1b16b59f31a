/** Who opens which app, and as whom: by the session of their browser, or by an embed token. */
import {
  listMemberships,
  findMemberNames,
  resolvePermissions,
} from "#domains/identity/accounts/index.ts";
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
import { normalPath, type Page } from "../definition/app.ts";
import { findServed, type Served } from "../deployments/store.ts";
import { type Claims, EmbedRefused, verify } from "../embedding/embed-token.ts";
import { find as findToken } from "../embedding/store.ts";
import { type CallOperation, operationCallerFor } from "../call-operation.ts";
import { AppsUse } from "../permissions.ts";
import { pathOf, prefixOf } from "./address.ts";

/** What a request says of the app that it is about. */
export interface AppRequest {
  readonly workspace: string;
  readonly slug: string;
  readonly environment: EnvironmentName | undefined;
  readonly embedToken: string | undefined;
}

/** An open app, and whoever has opened it. */
export interface AppSession {
  readonly platform: Platform;
  /** Of the app's workspace and environment. */
  readonly caller: Caller;
  readonly partition: Partition;
  readonly perform: CallOperation;
  readonly user: Principal & { readonly name: string; readonly email: string };
  readonly served: Served;
  /** What an embed token fixes; undefined for who has logged in. */
  readonly embed?: Claims & { readonly text: string };
  /** The path of a page of this app, such that it is opened as this one was. */
  readonly pathTo: (page: string, params?: Readonly<Record<string, string>>) => string;
  /** What the paths of our own pages begin with. */
  readonly prefix: string;
}

/** Lets somebody in, or throws why not. */
export async function openAppSession(
  platform: Platform,
  caller: Caller,
  asked: AppRequest,
): Promise<AppSession> {
  const entered =
    asked.embedToken === undefined
      ? entranceOf(caller, asked)
      : await embedded(platform, caller, asked, asked.embedToken);
  const { workspace, environment } = entered.caller;
  if (!workspace) throw new Error("Nobody enters without a workspace.");
  if (!entered.caller.permissions.has(AppsUse.name)) {
    throw new Failure(Forbidden, { detail: `This needs the permission ${AppsUse.name}.` });
  }
  const partition = { workspace: workspace.key, environment };
  const served = await platform.db.read(partition, (tx) => findServed(tx, asked.slug));
  const { embed } = entered;
  if (!served || (embed && embed.appId !== served.appId)) {
    throw new Failure(embed ? EmbedRefused : NotFound);
  }
  const fixed: Record<string, string> = embed
    ? { embed_token: embed.text }
    : environment === "production"
      ? {}
      : { environment };
  const address = { origin: caller.origin, workspace: asked.workspace, slug: asked.slug };
  return {
    platform,
    ...entered,
    partition,
    served,
    perform: operationCallerFor(platform, entered.caller, `/apps/${asked.workspace}/${asked.slug}`),
    pathTo: (path, params = {}) => pathOf({ ...address, path }, { ...params, ...fixed }),
    prefix: prefixOf(caller.origin),
  };
}

/** The page that a path means; a token that is good for one page opens no other. */
export function pageOf({ served, embed }: AppSession, path: string): Page {
  const { pages } = served.snapshot;
  const [first] = pages;
  const at = normalPath(path.replace(/\/+$/, ""));
  const found = pages.find((page) => page.path === at);
  if (embed && embed.pageId !== null) {
    const own = pages.find(({ id }) => id === embed.pageId);
    if (!own || (at !== "/" && found !== own)) throw new Failure(EmbedRefused);
    return own;
  }
  const page = found ?? (at === "/" ? first : undefined);
  if (!page) throw new Failure(NotFound);
  return page;
}

type Entrance = Pick<AppSession, "caller" | "user" | "embed">;

function entranceOf(caller: Caller, asked: AppRequest): Entrance {
  const { credential } = caller;
  if (!credential) throw new Failure(Unauthenticated);
  const membership = credential.memberships.get(asked.workspace);
  if (!membership) throw new Failure(NoSuchWorkspace);
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  const { workspace, permissions, roles } = membership;
  const { user } = credential;
  return {
    user: { ...user, roles },
    caller: {
      ...caller,
      workspace,
      environment: asked.environment ?? "production",
      permissions,
      principal: { id: user.id, roles },
    },
  };
}

/** Acts for whoever made the token, with what they may do now. */
async function embedded(
  platform: Platform,
  caller: Caller,
  asked: AppRequest,
  text: string,
): Promise<Entrance> {
  const claims = verify(platform, text);
  if (!claims) throw new Failure(EmbedRefused);
  const { workspace, environment } = claims;
  const token = await platform.db.read({ workspace, environment }, (tx) =>
    findToken(tx, claims.id),
  );
  if (!token || token.revokedAt !== null) throw new Failure(EmbedRefused);
  platform.rateLimit.assert(`embed ${token.id}`, platform.settings.rateLimit);
  const rows = await listMemberships(platform.db, token.createdBy);
  const member = rows.find((row) => row.workspace === workspace);
  if (!member || member.barred || member.slug !== asked.workspace) throw new Failure(EmbedRefused);
  const [user] = await platform.db.read({ workspace, environment }, (tx) =>
    findMemberNames(tx, [token.createdBy]),
  );
  if (!user) throw new Failure(EmbedRefused);
  const held = resolvePermissions(member.roles, member.granted, platform.permissions);
  const { permissions } = token;
  const { credential: _, idempotencyScope: __, ...stranger } = caller;
  return {
    embed: { ...claims, text },
    user: { ...user, roles: member.roles },
    caller: {
      ...stranger,
      credential: undefined,
      actor: { id: user.id, name: user.name, type: "user" },
      workspace: { key: workspace, id: workspaceIdOf(workspace) },
      environment,
      permissions: permissions ? new Set(permissions.filter((name) => held.has(name))) : held,
      principal: { id: user.id, roles: member.roles },
    },
  };
}
