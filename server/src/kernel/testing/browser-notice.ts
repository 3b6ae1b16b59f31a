/**
 * Reports skipped browser tests at the end of a run, because a message in the middle of the output would be
 * overlooked.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { BrowserSearch } from "./chromium.ts";

/**
 * The file in the run's folder with the result of the browser search, written by the first test file that needs a
 * browser.
 */
export const SEARCH_FILE = "browser/search.json";

/** Runs once before all tests. The returned function runs once after them. */
export default function setup(project: TestProject): () => void {
  const file = join(project.getProvidedContext().folder, SEARCH_FILE);
  return () => {
    const notice = existsSync(file) ? describeSearch(JSON.parse(readFileSync(file, "utf8"))) : "";
    // `npm test` prints it after the checks, which end later.
    const later = process.env["MILLRACE_NOTICE_FILE"];
    if (later === undefined) process.stderr.write(notice);
    else writeFileSync(later, notice);
  };
}

/** The notice for people. Empty if a browser was found. */
export function describeSearch({ program, reasons }: BrowserSearch): string {
  if (program) return "";
  return [
    "",
    "THE BROWSER TESTS WERE LEFT OUT: no Chromium was found.",
    ...reasons.map((reason) => `  ${reason}`),
    "Install one (Debian: apt-get install chromium-headless-shell) or set MILLRACE_CHROMIUM to its path.",
    "",
  ].join("\n");
}
