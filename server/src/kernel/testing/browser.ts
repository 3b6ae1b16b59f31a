import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Browser, type BrowserContext, type Page } from "playwright-core";
import { describe } from "vitest";
import { describeSearch, SEARCH_FILE } from "./browser-notice.ts";
import { launchChromium } from "./browser-program.ts";
import { type BrowserSearch, provideChromium } from "./chromium.ts";
import { makeSharedFolder } from "./shared-folder.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // Pages are too short-lived to benefit from optimised code or concurrent garbage collection.
  "--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=16",
  // Each window would preload pages of the browser itself, which takes a second of CPU time.
  "--disable-features=PreloadTopChromeWebUI,Translate,MediaRouter,OptimizationHints,PaintHolding",
];

/** For the slowest case: downloading and installing a browser. */
const SEARCH_MAX_MS = 1_200_000;

/** Searches once for all files of a run. */
async function searchOnce(): Promise<BrowserSearch> {
  if (process.env["MILLRACE_SKIP_BROWSER_TESTS"] === "1") {
    return shareSearch(async () => ({ reasons: ["MILLRACE_SKIP_BROWSER_TESTS=1 asks for that."] }));
  }
  const search = await shareSearch(provideChromium);
  if (!search.program && process.env["CI"] === "true") throw new Error(describeSearch(search));
  return search;
}

async function shareSearch(look: () => Promise<BrowserSearch>): Promise<BrowserSearch> {
  const write = async (draft: string): Promise<void> => {
    await mkdir(draft);
    await writeFile(join(draft, basename(SEARCH_FILE)), JSON.stringify(await look()));
  };
  const folder = await makeSharedFolder("browser", write, SEARCH_MAX_MS);
  return JSON.parse(await readFile(join(folder, basename(SEARCH_FILE)), "utf8"));
}

const { program } = await searchOnce();

/** Groups tests that need a browser. Without one they are skipped, or fail if `CI=true` (ADR 0128). */
export const describeInBrowser = describe.skipIf(program === undefined);

let launched: Promise<Browser> | undefined;

/** All test files of a worker share one browser and close their contexts. It ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error("A test outside of describeInBrowser asks for one.");
  launched ??= launchChromium(program, FLAGS);
  return launched;
}

/** A page in a separate context without earlier state. */
export interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Clean seats for reuse. */
const vacant: Seat[] = [];

/** A new context would load and compile every script again, which took half of a page's time. */
export async function takeSeat(isNew = false): Promise<Seat> {
  const seat = isNew ? undefined : vacant.pop();
  if (seat) return seat;
  const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce" });
  return { context, page: await context.newPage() };
}

/** Clears the data that its page stored at these origins. If that fails, the seat is closed. */
export async function leaveSeat(seat: Seat, origins: readonly string[]): Promise<void> {
  const { context, page } = seat;
  try {
    const [, ...others] = context.pages();
    if (context.pages()[0] !== page) throw new Error("Its first page is gone.");
    await Promise.all(others.map((other) => other.close()));
    for (const event of ["pageerror", "console", "request", "response", "dialog"]) {
      page.removeAllListeners(event);
    }
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.setOffline(false);
    await context.clearPermissions();
    await page.evaluate(() => sessionStorage.clear());
    // Data written when the page ends must be written before the rest is cleared.
    await page.goto("about:blank");
    const devTools = await context.newCDPSession(page);
    for (const origin of origins) {
      await devTools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    }
    await devTools.detach();
    await context.clearCookies();
    vacant.push(seat);
  } catch {
    await context.close();
  }
}
