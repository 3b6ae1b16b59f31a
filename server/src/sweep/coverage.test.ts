import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSamples, SWEEP_PARTS, sweepPartOf, sweptOperations } from "#kernel/testing/sweep.ts";

test("every operation has a sample, and every sample an operation", async () => {
  const samples = await readSamples();
  expect([...samples.keys()].toSorted()).toEqual(sweptOperations.map(({ id }) => id).toSorted());
});

test("every operation is in one of the parts, and a file sweeps every part", () => {
  const files = globSync("part-*.test.ts", { cwd: import.meta.dirname });
  const swept = files.map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    return Number(/^await sweep\((\d+)\);$/m.exec(text)?.[1]);
  });
  const parts = Array.from({ length: SWEEP_PARTS }, (_, index) => index + 1);
  expect(swept.toSorted()).toEqual(parts);
  const missed = sweptOperations.filter((op) => !parts.includes(sweepPartOf(op)));
  expect(missed.map(({ id }) => id)).toEqual([]);
  const routes = sweptOperations.flatMap(({ route, aliases = [] }) => [route, ...aliases]);
  console.log(`the sweep covers ${sweptOperations.length} operations on ${routes.length} routes`);
});
