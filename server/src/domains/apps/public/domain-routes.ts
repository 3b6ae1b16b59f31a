/** The domains of public apps, cached in memory because each request checks its host. */
import { setTimeout } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import type { HostRoute } from "#kernel/contributions/host-route.ts";
import { AppActed } from "../runtime/events.ts";

const DOMAINS_MAX = 10_000;
const LIST = `
  select p.domain, w.slug as workspace, a.slug, p.environment
    from app_publications p
    join workspaces w on w.key = p.workspace_id
    join apps a on a.id = p.app_id
   where p.domain is not null order by p.created_at limit ${DOMAINS_MAX}`;

interface DomainRow extends Record<string, unknown> {
  readonly domain: string;
  readonly workspace: string;
  readonly slug: string;
  readonly environment: string;
}

/** Paths that exist on every domain: page assets, the domain verification, and health probes. */
const SHARED = /^\/(?:(?:apps\/_assets|\.well-known\/millrace-domain)\/|(?:healthz|readyz)$)/;

/** The minimum time between two reloads of all domains, because visitors cause events too. */
const PAUSE_MS = 500;

export const domainRoutes: HostRoute = {
  async open(platform) {
    let domains = await readDomains(platform);
    const read = async (): Promise<void> => {
      try {
        domains = await readDomains(platform);
      } catch (error) {
        platform.log.error({ err: error }, "can't read the domains of apps");
      }
    };
    const reload = atMostOnceAtATime(read);
    const close = platform.commitFeed.subscribe(["audit", "app", "workspace"], ({ type }) => {
      if (type === AppActed.type) return;
      if (type.startsWith("audit.") && !type.startsWith("audit.app_publication.")) return;
      reload();
    });
    return {
      close,
      rewrite(host, url) {
        const app = domains.get(host);
        if (!app || SHARED.test(url)) return app && url;
        const [path = "/", query = ""] = url.split("?", 2);
        const search = new URLSearchParams(query);
        // The domain belongs to the app in one environment.
        search.delete("embed_token");
        search.delete("environment");
        if (app.environment !== "production") search.set("environment", app.environment);
        const text = search.toString();
        const page = path === "/" ? "" : path;
        return `/apps/${app.workspace}/${app.slug}${page}${text && `?${text}`}`;
      },
    };
  },
};

async function readDomains({ db }: Platform): Promise<ReadonlyMap<string, DomainRow>> {
  const rows = await db.system<DomainRow>(LIST, []);
  return new Map(rows.map((row) => [row.domain, row]));
}

/** Combines calls that arrive during a running call, or shortly after it. */
function atMostOnceAtATime(call: () => Promise<void>): () => void {
  let isBusy = false;
  let isAsked = false;
  const start = async (): Promise<void> => {
    isBusy = true;
    do {
      isAsked = false;
      await call();
      await setTimeout(PAUSE_MS, undefined, { ref: false });
    } while (isAsked);
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) void start();
  };
}
