/** A Chromium executable on this machine. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

/** Options for launching a browser with playwright. */
export interface BrowserProgram {
  readonly executablePath: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

const START_MAX_MS = 30_000;

/** Starts a browser with these flags. */
export function launchChromium(
  { executablePath, env }: BrowserProgram,
  args: readonly string[],
): Promise<Browser> {
  const known = { ...process.env, ...env } as Record<string, string>;
  return chromium.launch({ executablePath, env: known, args: [...args] });
}

/** True if a program exists, has its libraries, and is not a stub that only explains how to install a browser. */
export async function canStart({ executablePath, env }: BrowserProgram): Promise<boolean> {
  if (!existsSync(executablePath)) return false;
  const options = { env: { ...process.env, ...env }, timeout: START_MAX_MS };
  return promisify(execFile)(executablePath, ["--version"], options).then(
    ({ stdout }) => /chrom/i.test(stdout),
    () => false,
  );
}
