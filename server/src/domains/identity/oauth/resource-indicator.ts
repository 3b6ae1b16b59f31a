/** Resource indicators (RFC 8707): what a client wants its token for. */
import { Failure } from "#kernel/operation/failure.ts";
import { InvalidTarget } from "./protocol.ts";

export const MCP_PATH = "/mcp";

/**
 * The workspace that a resource names, as `…/mcp?workspace=` does; undefined where it names none, null where it is not
 * ours.
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

/** Throws unless the resource is ours. */
export function assertResource(resource: string | undefined, origin: string): void {
  if (workspaceInResource(resource, origin) === null) throw new Failure(InvalidTarget);
}
