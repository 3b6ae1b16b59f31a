/** Resource indicators (RFC 8707): the resource for which a client requests a token. */
import { Failure } from "#kernel/operation/failure.ts";
import { InvalidTarget } from "./protocol.ts";

export const MCP_PATH = "/mcp";

/**
 * The workspace in a resource, as in `…/mcp?workspace=`; undefined if it names none, null if the resource is not of
 * this server.
 */
export function workspaceInResource(
  resource: string | undefined,
  origin: string,
): string | null | undefined {
  if (!resource) return undefined;
  if (!URL.canParse(resource)) return null;
  const url = new URL(resource);
  const base = new URL(origin);
  const path = url.pathname.replace(/\/$/, "");
  const prefix = base.pathname.replace(/\/$/, "");
  const isOurs = path === prefix || path === `${prefix}${MCP_PATH}`;
  if (url.origin !== base.origin || url.hash !== "" || !isOurs) return null;
  return url.searchParams.get("workspace") ?? undefined;
}

/** Throws unless the resource belongs to this server. */
export function assertResource(resource: string | undefined, origin: string): void {
  if (workspaceInResource(resource, origin) === null) throw new Failure(InvalidTarget);
}
