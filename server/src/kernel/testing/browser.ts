import { type Browser, chromium } from "playwright-core";
import { describe } from "vitest";
import { findChromium } from "./chromium.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
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
