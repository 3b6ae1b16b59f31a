/** Tests every page with every role: no errors, and no control that would be rejected. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { readSamples } from "#kernel/testing/sweep.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { useConsole, type Visitor } from "./testing.ts";

const CONSOLE = join(import.meta.dirname, "../../../console/src");
/** Pages of one object, and the operation whose sample creates it. */
const THINGS: Readonly<Record<string, string>> = {
  "/workflows/$id": "workflows.get",
  "/runs/$id": "runs.get",
  "/tables/$slug": "tables.get",
  "/dashboards/$id": "dashboards.get",
  "/alerts/$id": "alerts.get",
  "/webhooks/$id": "webhooks.get",
  "/connectors/$id": "connectors.get",
  "/artifacts/$id": "artifacts.get",
  "/changes/$id": "changes.get",
  "/problems/$id": "problems.get",
  "/knowledge/$id": "knowledge.get",
  "/catalog/$id": "catalog.get_item",
  "/services/$id": "cmdb.get_item",
  "/settings/people/$id": "users.get",
};
/** Pages that all users have, whatever their menu shows. */
const OWN = ["/", "/notifications", "/settings/notifications", "/settings/account"];
const CLICKS_MAX = 15;
/** The time limit for a busy machine and, in thorough runs, for every control of every page. */
const LIMIT_MS = IS_THOROUGH ? 1_800_000 : 180_000;
const SETTLE_MAX_MS = 30_000;
const NOT_NOW = JSON.stringify({
  title: "Not now",
  status: 409,
  code: "not_now",
  detail: "Not now.",
});

interface Sighting {
  /** Requests that were rejected or failed. */
  readonly refused: string[];
  /** The pending requests. */
  readonly open: Set<Request>;
}

describeInBrowser("every page as every role", () => {
  // Some samples call a local port.
  const at = useConsole({
    env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32", MILLRACE_SMTP_URL: "smtp://127.0.0.1:9" },
  });
  let pages: string[];
  beforeAll(async () => {
    pages = listPages(await makeThings(await at.world.member(["owner"])));
  });

  /** One object for each page that shows one, by the route pattern. */
  const makeThings = async (owner: Ask): Promise<Map<string, string>> => {
    const samples = await readSamples();
    const made = new Map<string, string>();
    for (const [pattern, operation] of Object.entries(THINGS)) {
      const sample = samples.get(operation)?.[0];
      if (!sample) throw new Error(`There is no sample of ${operation}.`);
      const { params = {} } = await sample.arrange(owner, at.world);
      const [value] = Object.values(params);
      if (value !== undefined) made.set(pattern, value);
    }
    return made;
  };

  /** Goes there within the page, as a link does. */
  const move = async ({ page }: Visitor, path: string, seen: Sighting): Promise<void> => {
    const { open } = seen;
    await page.evaluate(async (to) => {
      history.pushState({}, "", to);
      // Twice, because idle callbacks may load further scripts.
      for (const _ of "12")
        await new Promise((done) => requestIdleCallback(done, { timeout: 1_000 }));
    }, path);
    await until(async () => {
      const isLoading = await page.locator(".loading").first().isVisible();
      return open.size === 0 && !isLoading;
    }, SETTLE_MAX_MS).catch(() => seen.refused.push("it never ends to load"));
  };

  // Requesters use the portal and have no console pages (`requests.test.ts`).
  const consoleRoles = BUILT_IN_ROLES.filter((role) => role !== "requester");
  test.each(consoleRoles)("%s", { timeout: LIMIT_MS }, async (role) => {
    const visitor = await at.visit([role]);
    const { page } = visitor;
    const seen = watch(page);
    await page.goto(`${at.origin}/`);
    await page.getByRole("navigation").first().waitFor();
    const linked = new Set(OWN);
    const collectLinks = async (): Promise<void> => {
      const hrefs = await page
        .locator("a[href]")
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
      for (const href of hrefs) linked.add(new URL(href).pathname);
    };
    await collectLinks();
    const faults: string[] = [];
    let told = 0;
    for (const path of pages) {
      // A page that no link leads to reports missing access, and nothing else is checked there.
      const isOffered = linked.has(path);
      if (!isOffered && !IS_THOROUGH) continue;
      seen.refused.length = 0;
      await move(visitor, path, seen);
      if (isOffered) await collectLinks();
      const alerts = await page.locator("[role=alert]").allTextContents();
      // Links may outlive their targets: an event may refer to a deleted object, or to another user's draft. The
      // page then says so.
      const isGone = await page.getByRole("heading", { name: "Page not found" }).isVisible();
      const refused = isGone
        ? seen.refused.filter((one) => !/^GET .* 404$/.test(one))
        : seen.refused;
      if (isOffered) faults.push(...[...refused, ...alerts].map((one) => `${path}: ${one}`));
      if (isOffered && IS_THOROUGH) {
        const denied = await tryControls(visitor, path, seen);
        faults.push(...denied.map((one) => `${path}: a control led to ${one}`));
      }
      faults.push(...visitor.faults.slice(told).map((one) => `${path}: ${one}`));
      told = visitor.faults.length;
    }
    expect(faults).toEqual([]);
  });

  test("missing objects", { timeout: LIMIT_MS }, async () => {
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const seen = watch(page);
    await page.goto(`${at.origin}/`);
    await page.getByRole("navigation").first().waitFor();
    const faults: string[] = [];
    for (const pattern of Object.keys(THINGS)) {
      const path = pattern.replace(/\$\w+/, "gone");
      seen.refused.length = 0;
      await move(visitor, path, seen);
      const isTold = await page
        .getByRole("heading", { name: "Page not found" })
        .waitFor({ timeout: SETTLE_MAX_MS })
        .then(() => true)
        .catch(() => false);
      if (!isTold) faults.push(`${path} does not say that nothing is here`);
    }
    expect([...faults, ...visitor.faults]).toEqual([]);
  });

  /** Clicks all controls, with every action as a dry run; resolves with the rejected requests. */
  const tryControls = async (
    visitor: Visitor,
    path: string,
    seen: Sighting,
  ): Promise<readonly string[]> => {
    const { page } = visitor;
    seen.refused.length = 0;
    const refused: string[] = [];
    await page.route("**/api/**", async (route) => {
      const request = route.request();
      if (request.method() === "GET") return route.fallback();
      const headers = { ...(await request.allHeaders()), prefer: "dry-run" };
      const answer = await route.fetch({ headers });
      const { pathname } = new URL(request.url());
      if (answer.status() === 403) refused.push(`${request.method()} ${pathname} 403`);
      const reply = { status: 409, contentType: "application/problem+json", body: NOT_NOW };
      // The page may have navigated in the meantime.
      return route.fulfill(reply).catch(() => undefined);
    });
    const buttons = page.locator("main button:enabled:visible");
    const count = Math.min(await buttons.count(), CLICKS_MAX);
    for (let n = 0; n < count; n += 1) {
      await buttons
        .nth(n)
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      if (new URL(page.url()).pathname !== path) await move(visitor, path, seen);
    }
    await page.unroute("**/api/**");
    return [
      ...refused,
      ...seen.refused.filter((one) => one.startsWith("GET") && one.endsWith("403")),
    ];
  };
});

/** Records failed and pending requests, except streams, which do not end. */
function watch(page: Page): Sighting {
  const sighting: Sighting = { refused: [], open: new Set() };
  const isCall = (request: Request): boolean =>
    /\/api\//.test(request.url()) && !/stream|follow|timeout=/.test(request.url());
  page.on("request", (request) => isCall(request) && sighting.open.add(request));
  const end = (request: Request): void => void sighting.open.delete(request);
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  page.on("response", (response) => {
    if (response.status() < 400 || !isCall(response.request())) return;
    const { pathname } = new URL(response.url());
    sighting.refused.push(`${response.request().method()} ${pathname} ${response.status()}`);
  });
  return sighting;
}

/**
 * The URLs of all screens, with an existing object if required; a page of a part is listed below its object's page.
 */
function listPages(things: ReadonlyMap<string, string>): string[] {
  const texts = globSync("*-routes.tsx", { cwd: CONSOLE }).map((file) =>
    readFileSync(join(CONSOLE, file), "utf8"),
  );
  const paths = texts.flatMap((text) => [...text.matchAll(/path: "(\/[^"]*)"/g)]);
  return paths
    .map(([, path = ""]) => {
      for (const [pattern, value] of things) {
        if (`${path}/`.startsWith(`${pattern}/`)) return path.replace(/\$\w+/, value);
      }
      return path;
    })
    .filter((path) => !path.includes("$") && path !== "/login" && path !== "/welcome")
    .toSorted();
}
