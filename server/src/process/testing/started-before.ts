/** A previously used data folder, for tests of later starts. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { startedFolder } from "./built-server.ts";
import { dataFolder } from "./product.ts";

/** Makes the data folder a copy of one that was started and stopped before, which saves the time of the first start. */
export function startedBefore(folder = dataFolder()): void {
  copy(join(startedFolder(), "data"), folder);
}

/** Also copies the bundle built by the first start. */
export function startedBeforeWithBundle(): void {
  startedBefore();
  copy(join(startedFolder(), "cache"), join(dataFolder(), "cache"));
}

function copy(from: string, to: string): void {
  expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
}
