/** The public status page. It has many readers during an outage, so it is cached instead of rendered per visitor. */
import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { html, media } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { type PublicPage, readPublicPage } from "./page-store.ts";
import { POLICY, renderFeed, renderPage } from "./page-view.ts";

const FRESH_MS = 5_000;
const PAGES_MAX = 500;
const CACHED = "public, max-age=15, stale-while-revalidate=60";

const Params = object({
  workspace: Type.String({ pattern: "^[a-z0-9][a-z0-9-]*$", maxLength: 100 }),
});
const example = { params: { workspace: "default" } };

interface KeptPage {
  readonly atMs: number;
  readonly page: Promise<PublicPage | undefined>;
}

/** Cached per process. Concurrent visitors share one read. */
const kept = new WeakMap<object, Map<string, KeptPage>>();

const FIND_WORKSPACE = "select key from workspaces where slug = $1";

async function readFresh(
  platform: Platform,
  slug: string,
  now: Date,
): Promise<PublicPage | undefined> {
  const [row] = await platform.db.system<{ readonly key: string }>(FIND_WORKSPACE, [slug]);
  if (!row) return undefined;
  const partition = { workspace: row.key, environment: "production" as const };
  return platform.db.read(partition, (tx) => readPublicPage(tx, now));
}

/**
 * Reads the page of a workspace from the cache or the database. Throws 404 for a missing and for an inactive page.
 */
async function readKept(platform: Platform, slug: string): Promise<PublicPage> {
  const now = platform.clock.now();
  const pages = kept.get(platform.db) ?? new Map<string, KeptPage>();
  kept.set(platform.db, pages);
  const old = pages.get(slug);
  const isFresh =
    old !== undefined && now.getTime() - old.atMs < FRESH_MS && now.getTime() >= old.atMs;
  if (!isFresh) {
    if (pages.size >= PAGES_MAX) pages.clear();
    pages.set(slug, { atMs: now.getTime(), page: readFresh(platform, slug, now) });
  }
  const entry = pages.get(slug);
  const page = await entry?.page.catch((error: unknown) => {
    pages.delete(slug);
    throw error;
  });
  if (!page) throw new Failure(NotFound);
  return page;
}

const readStatusPage = query({
  id: "status_page.read",
  route: "GET /status/{workspace}",
  summary: "Get the status page of a workspace",
  description: "Public, if the status page is enabled. Contains no scripts.",
  access: "public",
  params: Params,
  response: html(htmlErrorRendering),
  fails: [NotFound],
  example,
  prepare: (platform, { params }) => readKept(platform, params.workspace),
  run: async ({ now }, { params: { workspace } }, page) => ({
    html: renderPage(page, now, `${workspace}/feed.atom`),
    policy: POLICY,
    headers: { "cache-control": CACHED, "referrer-policy": "no-referrer" },
  }),
});

const readStatusFeed = query({
  id: "status_page.read_feed",
  route: "GET /status/{workspace}/feed.atom",
  summary: "Get the status page of a workspace as an Atom feed",
  access: "public",
  params: Params,
  response: media("application/atom+xml; charset=utf-8"),
  fails: [NotFound],
  example,
  prepare: (platform, { params }) => readKept(platform, params.workspace),
  run: async ({ now, caller }, { params: { workspace } }, page) =>
    renderFeed(page, now, `${caller.origin}/status/${workspace}`),
});

export const publicOperations = [readStatusPage, readStatusFeed];
