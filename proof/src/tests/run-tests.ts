import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const SERVER = join(import.meta.dirname, "../../../server");
const VITEST = join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs");

/** Runs server tests in their long form. Resolves to whether they passed. */
export async function runTests(
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, [VITEST, "run", ...files], {
    cwd: SERVER,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, MILLRACE_THOROUGH: "1", ...env },
  });
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0;
}
