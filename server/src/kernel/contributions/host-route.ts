/** Additional hosts, each of which serves one part of the installation only. */
import type { Platform } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** The hosts of one domain, updated while the process runs. */
export interface HostRoutes {
  /** The local path for a path at a host. Undefined if the host does not belong to the domain. */
  readonly rewrite: (host: string, url: string) => string | undefined;
  readonly close: () => void;
}

export interface HostRoute {
  readonly open: (platform: Platform) => Promise<HostRoutes>;
}

/** Domains contribute hosts here. */
export const HostRoutePoint = extensionPoint<HostRoute>("kernel.host_routes");
