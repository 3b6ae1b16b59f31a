/** A data folder with a past, for the tests of whatever comes after the first start. */
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { makeSharedFolder } from "#kernel/testing/shared-folder.ts";
import { dataFolder, launch, stop } from "./product.ts";

/** Makes the data folder one that was started and stopped before: a copy, which saves the time of the first start. */
export async function startedBefore(): Promise<void> {
  const template = await makeSharedFolder("started-before", async (draft) => {
    const product = launch({ MILLRACE_DATA_DIR: draft });
    await product.ready;
    await stop(product);
  });
  expect(spawnSync("cp", ["-a", template, dataFolder()]).status).toBe(0);
}
