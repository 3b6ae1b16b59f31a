import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseSeed, TEST_SEED } from "./seed.ts";

test("random tests use the seed of their run, which can be set", () => {
  expect(fc.readConfigureGlobal().seed).toBe(TEST_SEED);
  expect(chooseSeed({ MILLRACE_TEST_SEED: "17" })).toBe(17);
  expect(() => chooseSeed({ MILLRACE_TEST_SEED: "1; x" })).toThrow("is not a number");
});

test("the same commit gives the same seed in every clone", () => {
  const script = `import { chooseSeed } from "${import.meta.dirname}/seed.ts"; console.log(chooseSeed({}))`;
  const seedOf = (gitDir: string | undefined): string =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: process.env["PATH"], ...(gitDir !== undefined && { GIT_DIR: gitDir }) },
    }).toString();
  expect(seedOf(undefined)).toBe(seedOf(undefined));
  // Without a repository, the seed is constant.
  expect(seedOf("/nowhere")).toBe("20261\n");
});
