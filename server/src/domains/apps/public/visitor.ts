/**
 * Visitors of a public app. They act as the app, with the current rights of its publisher, limited to those that
 * the app's own sources and actions need: an app cannot give access to any other part of the workspace. Limits
 * apply per address and app.
 */
import { assertOwnFiles } from "#domains/files/index.ts";
import { findRights } from "#domains/identity/accounts/index.ts";
import type { Caller, Principal } from "#kernel/access/caller.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Platform } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { AppsDeploy, AppsUse } from "../permissions.ts";

/**
 * The maximum permissions of a visitor. Workflows start only by an action that grants it, never by viewing a page.
 */
const PUBLIC_PERMISSIONS: ReadonlySet<string> = new Set([
  AppsUse.name,
  "records:read",
  "records:write",
  "queries:run",
  "analytics:read",
]);

/** Limits per minute and node. */
const LIMITS = {
  read: { address: 240, app: 3_000 },
  act: { address: 20, app: 300 },
} as const;
const BODY_CHARACTERS_MAX = 256 * 1024;

const FIND = `
  select p.app_id as "appId", p.public_by as "runAs", p.permissions, a.name
    from app_publications p join apps a on a.id = p.app_id
   where a.slug = $1 and a.status = 'active'
     and p.environment = current_setting('millrace.environment')::environment`;

/** The app that a visitor requests. */
interface VisitorRequest {
  readonly workspace: string;
  readonly slug: string;
  readonly environment: EnvironmentName | undefined;
  readonly isAct?: boolean;
}

/** A visitor of an app. */
export interface Visitor {
  readonly isPublic: true;
  readonly caller: Caller;
  readonly user: Principal & { readonly name: string; readonly email: string };
}

interface FoundPublication {
  readonly appId: string;
  readonly runAs: string;
  readonly permissions: readonly string[] | null;
  readonly name: string;
}

/** Opens a public app for a visitor; undefined if the app is not public. */
export async function openForVisitor(
  platform: Platform,
  caller: Caller,
  request: VisitorRequest,
): Promise<Visitor | undefined> {
  const { environment = "production", workspace: slug } = request;
  const kind = request.isAct === true ? "act" : "read";
  const limits = LIMITS[kind];
  // Checked before any lookup, because looking up a missing app costs as much.
  const source = `public app ${kind} ${classifyAddress(caller.address)}`;
  platform.rateLimit.assert(source, limits.address);
  const [workspace] = await platform.db.system<{ key: string }>(
    "select key from workspaces where slug = $1",
    [slug],
  );
  if (!workspace) return undefined;
  const { key } = workspace;
  const partition = { workspace: key, environment };
  const [row] = await platform.db.read(partition, (tx) => queryRows(tx, FIND, [request.slug]));
  if (!row) return undefined;
  const { appId, runAs, permissions, name } = row as unknown as FoundPublication;
  const rights = await findRights(platform, key, { runAs, permissions });
  if (!rights?.permissions.has(AppsDeploy.name)) return undefined;
  platform.rateLimit.assert(`public app ${kind} ${appId}`, limits.app);
  const { credential: _, idempotencyScope: __, ...rest } = caller;
  return {
    isPublic: true,
    user: { id: appId, name: "Visitor", email: "", roles: [] },
    caller: {
      ...rest,
      credential: undefined,
      actor: { id: appId, name, type: "system" },
      workspace: { key, id: workspaceIdOf(key) },
      environment,
      permissions: rights.permissions.intersection(PUBLIC_PERMISSIONS),
      // Rules about own rows refer to the app.
      principal: { id: appId, roles: rights.principal.roles },
    },
  };
}

/** Rejects visitor requests that are larger than those of the app pages. */
export function assertFits({ isPublic }: { readonly isPublic?: boolean }, body: object): void {
  if (isPublic !== true) return;
  assertOwnFiles(body);
  if (JSON.stringify(body).length <= BODY_CHARACTERS_MAX) return;
  throw invalidField("", `must have at most ${BODY_CHARACTERS_MAX} characters`);
}
