import { join } from "node:path";
import { launch } from "../../process/testing/product.ts";

const MILLRACE = join(import.meta.dirname, "../../../millrace.mjs");

/** Runs a command to its end, as an operator does. */
export async function millrace(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ readonly code: unknown; readonly said: string }> {
  const { ended, lines } = launch(env, [MILLRACE, ...args]);
  return { code: await ended, said: lines.join("\n") };
}
