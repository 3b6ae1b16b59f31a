/** A data folder with a past, for the tests of whatever comes after the first start. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { errnoOf } from "#kernel/embedded/processes.ts";
import { until } from "#kernel/testing/world.ts";
import { dataFolder, launch, stop } from "./product.ts";

/** Makes the data folder one that was started and stopped before: a copy, which saves the time of the first start. */
export async function startedBefore(): Promise<void> {
  const template = join(inject("folder"), "started-before");
  if (!existsSync(template)) await makeOnce(template);
  expect(spawnSync("cp", ["-a", template, dataFolder()]).status).toBe(0);
}

/** Whoever of this run comes first makes it; the others wait. */
async function makeOnce(template: string): Promise<void> {
  try {
    await mkdir(`${template}.claim`);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    await until(async () => existsSync(template));
    return;
  }
  const draft = `${template}.draft`;
  const product = launch({ MILLRACE_DATA_DIR: draft });
  await product.ready;
  await stop(product);
  await rename(draft, template);
}
