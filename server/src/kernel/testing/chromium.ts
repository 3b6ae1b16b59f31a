import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

/** The one without windows takes a quarter less of the processor's time. */
const HEADLESS = "chromium-headless-shell";
const PROGRAMS = [
  HEADLESS,
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
];
const ELSEWHERE = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const APT = "/usr/bin/apt-get";

/** The path of this machine's Chromium or Chrome, if there is one. */
export function findChromium(): string | undefined {
  const named = process.env["MILLRACE_CHROMIUM"];
  if (named !== undefined) return existsSync(named) ? named : undefined;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = [
    ...folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
    ...ELSEWHERE,
    // The one of `playwright-core install chromium`.
    chromium.executablePath(),
  ];
  return candidates.find((path) => existsSync(path));
}

/**
 * Installs Chromium once before all tests, where a CI machine is ours to change: as root, on Debian. Elsewhere the
 * tests of pages fail and say what they need (ADR 0032).
 */
export function setup(): void {
  const isOurs = process.env["CI"] === "true" && process.getuid?.() === 0 && existsSync(APT);
  if (!isOurs || findChromium() || process.env["MILLRACE_SKIP_BROWSER_TESTS"] === "1") return;
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", HEADLESS]]) {
    execFileSync(APT, args, { stdio: "ignore", timeout: 600_000 });
  }
}
