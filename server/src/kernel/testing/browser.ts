import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { describe } from "vitest";

const PROGRAMS = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
];
const ELSEWHERE = [
  "/usr/bin/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Groups tests that need a browser: without one they fail, unless somebody has said that they may be left out. */
export const describeInBrowser = describe.skipIf(
  process.env["MILLRACE_SKIP_BROWSER_TESTS"] === "1",
);

/** Starts the Chromium of this machine, which no npm package brings (ADR 0032). */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: FLAGS });
}

function findChromium(): string {
  const named = process.env["MILLRACE_CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = [
    ...folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
    ...ELSEWHERE,
    // One that `playwright-core install chromium` has brought.
    chromium.executablePath(),
  ];
  const found = named ?? candidates.find((path) => existsSync(path));
  if (found !== undefined && existsSync(found)) return found;
  throw new Error(
    `${named === undefined ? "There is no Chromium here" : `MILLRACE_CHROMIUM names ${named}, which is not there`}: ` +
      "the tests of pages need one. Install it (Debian and Ubuntu: apt-get install chromium), name one in " +
      "MILLRACE_CHROMIUM, or leave those tests out with MILLRACE_SKIP_BROWSER_TESTS=1.",
  );
}
