import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { describe } from "vitest";
import { findChromium } from "./chromium.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // No page lives long enough to gain from code that was optimized, or from rubbish that is collected beside it.
  "--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=16",
  // Each window would load pages of the browser itself beforehand, at a second of the processor's time.
  "--disable-features=PreloadTopChromeWebUI,Translate,MediaRouter,OptimizationHints,PaintHolding",
];

/** Groups tests that need a browser: without one they fail, unless somebody has said that they may be left out. */
export const describeInBrowser = describe.skipIf(
  process.env["MILLRACE_SKIP_BROWSER_TESTS"] === "1",
);

let launched: Promise<Browser> | undefined;

/**
 * The Chromium of this machine, which no npm package brings (ADR 0032). All test files of a worker share it and close
 * their own contexts; it ends with the worker.
 */
export function sharedBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: requireChromium(), args: FLAGS });
  return launched;
}

/** A page in a context of its own, which has nothing of what was done in it before. */
export interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Seats that were left in good order. */
const vacant: Seat[] = [];

/** A new context would load and compile every script anew, which took half of the time of a page. */
export async function takeSeat(isNew = false): Promise<Seat> {
  const seat = isNew ? undefined : vacant.pop();
  if (seat) return seat;
  const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce" });
  return { context, page: await context.newPage() };
}

/** Takes away all that its page left behind at these origins; a seat that can't be left so is closed. */
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
    // What is written as it ends is written before the rest is cleared.
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

function requireChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  const named = process.env["MILLRACE_CHROMIUM"];
  throw new Error(
    `${named === undefined ? "There is no Chromium here" : `MILLRACE_CHROMIUM names ${named}, which is not there`}: ` +
      "the tests of pages need one. Install it (Debian and Ubuntu: apt-get install chromium-headless-shell), name one in " +
      "MILLRACE_CHROMIUM, or leave those tests out with MILLRACE_SKIP_BROWSER_TESTS=1.",
  );
}
