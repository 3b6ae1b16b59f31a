import { prefixOf } from "#domains/apps/index.ts";
import { linkPath } from "#domains/files/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import {
  type CallOperation,
  dataOfResponse,
  operationCallerFor,
} from "#kernel/operation/call-operation.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { PortalUse } from "../permissions.ts";

/** A visitor of the portal of one workspace. */
export interface PortalSession {
  readonly user: { readonly id: string; readonly name: string };
  readonly workspace: string;
  readonly environment: EnvironmentName;
  /** The path of a page of this portal, in the environment of the visit. */
  readonly pathTo: (page: string) => string;
  /** The prefix of all local paths. */
  readonly prefix: string;
  /** A temporary URL of a file that the visitor may read. */
  readonly linkTo: (fileId: string) => string;
  /** Stores a file of the visitor, and resolves to its id. */
  readonly upload: (name: string, content: AsyncIterable<Uint8Array>) => Promise<string>;
  /** The data of an operation, called with the visitor's rights. */
  readonly read: <T>(...input: Parameters<CallOperation>) => Promise<T>;
}

/** The place that a request names. */
export interface PortalPlace {
  readonly workspace: string;
  readonly environment: EnvironmentName | undefined;
}

/** Opens the portal of a workspace for one of its members; otherwise throws the failure. */
export function openPortal(
  platform: Platform,
  caller: Caller,
  { workspace, environment = "production" }: PortalPlace,
): PortalSession {
  const membership = caller.credential?.memberships.get(workspace);
  if (!caller.credential || !membership) throw new Failure(NotFound);
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  const { permissions, roles } = membership;
  if (!permissions.has(PortalUse.name)) {
    throw new Failure(Forbidden, { detail: `This needs the permission ${PortalUse.name}.` });
  }
  const { user } = caller.credential;
  const visitor = {
    ...caller,
    workspace: membership.workspace,
    environment,
    permissions,
    principal: { id: user.id, roles },
  };
  const prefix = prefixOf(caller.origin);
  const base = `${prefix}/portal/${workspace}`;
  const perform = operationCallerFor(platform, visitor, base);
  const upload = async (name: string, content: AsyncIterable<Uint8Array>): Promise<string> => {
    const sent = { content, contentType: "application/octet-stream", length: undefined };
    const keep = operationCallerFor(platform, { ...visitor, upload: sent }, base);
    const file = dataOfResponse(await keep("files.upload", { query: { name } }));
    return (file as { readonly id: string }).id;
  };
  const query = environment === "production" ? "" : `?environment=${environment}`;
  return {
    user: { id: user.id, name: user.name },
    workspace,
    environment,
    prefix,
    pathTo: (page) => `${base}${page}${page.includes("?") ? query.replace("?", "&") : query}`,
    linkTo: (fileId) => `${prefix}${linkPath(platform, visitor, { fileId })}`,
    upload,
    // The data was validated by the operation's schema.
    read: async <T>(...input: Parameters<CallOperation>) =>
      dataOfResponse(await perform(...input)) as T,
  };
}
