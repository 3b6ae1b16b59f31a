/**
 * Requests at custom hosts, each of which leads to one part of the installation. Their visitors are never
 * signed in, and every path is below that part: the API, the console and other pages are not reachable.
 */
import type { IncomingMessage } from "node:http";
import type { Platform } from "../../contract.ts";
import { HostRoutePoint, type HostRoutes } from "../../contributions/host-route.ts";
import { contributionsTo } from "../../extension-point.ts";

const foreign = new WeakSet<IncomingMessage>();

/** True for a request at a custom host. */
export function isAtForeignHost(request: IncomingMessage): boolean {
  return foreign.has(request);
}

export class HostRewriter {
  readonly #routes: readonly HostRoutes[];
  /** The host of the installation, which cannot be used as a custom host. */
  readonly #own: string | undefined;

  private constructor(routes: readonly HostRoutes[], own: string | undefined) {
    this.#routes = routes;
    this.#own = own;
  }

  static async open(platform: Platform): Promise<HostRewriter> {
    const points = contributionsTo(HostRoutePoint, platform.contributions);
    const routes = await Promise.all(points.map(({ open }) => open(platform)));
    const { baseUrl } = platform.settings;
    return new HostRewriter(routes, baseUrl === undefined ? undefined : new URL(baseUrl).hostname);
  }

  /** The local path for a request. */
  rewrite(request: IncomingMessage, url: string): string {
    const host = request.headers.host?.toLowerCase();
    if (host === undefined || host.replace(/:\d*$/, "") === this.#own) return url;
    for (const routes of this.#routes) {
      const path = routes.rewrite(host, url);
      if (path === undefined) continue;
      foreign.add(request);
      return path;
    }
    return url;
  }

  close(): void {
    for (const routes of this.#routes) routes.close();
  }
}
