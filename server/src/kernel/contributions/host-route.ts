/** Hosts beside the installation's own, each with a part of it and nothing else. */
import type { Platform } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** The hosts that lead to a part of a domain, kept up to date while the process lives. */
export interface HostRoutes {
  /** The path of ours for a path at a host; undefined when the host is none of these. */
  readonly rewrite: (host: string, url: string) => string | undefined;
  readonly close: () => void;
}

export interface HostRoute {
  readonly open: (platform: Platform) => Promise<HostRoutes>;
}

/** Where domains contribute hosts. */
export const HostRoutePoint = extensionPoint<HostRoute>("kernel.host_routes");
