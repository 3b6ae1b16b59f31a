import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { errnoOf } from "../embedded/processes.ts";
import { until } from "./world.ts";

/** For a build on a busy machine. */
const MAKE_MAX_MS = 150_000;

/** Creates a folder for several files of a run: the first file creates it, the others wait. */
export async function makeSharedFolder(
  name: string,
  make: (draft: string) => Promise<void>,
  limitMs = MAKE_MAX_MS,
): Promise<string> {
  const folder = join(inject("folder"), name);
  if (existsSync(folder)) return folder;
  try {
    await mkdir(`${folder}.claim`);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    await until(async () => existsSync(folder), limitMs);
    return folder;
  }
  await make(`${folder}.draft`);
  await rename(`${folder}.draft`, folder);
  return folder;
}
