/** A data folder with a past, for the tests of whatever comes after the first start. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { startedFolder } from "./built-server.ts";
import { dataFolder } from "./product.ts";

/** Makes the data folder one that was started and stopped before: a copy, which saves the time of the first start. */
export function startedBefore(folder = dataFolder()): void {
  copy(join(startedFolder(), "data"), folder);
}

/** Makes it one with the bundle that the first start has built, too. */
export function startedBeforeWithBundle(): void {
  startedBefore();
  copy(join(startedFolder(), "cache"), join(dataFolder(), "cache"));
}

function copy(from: string, to: string): void {
  expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
}
