import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeSearch } from "./browser-notice.ts";
import { findChromium } from "./chromium.ts";
import { assertIntegrity } from "./install-chromium.ts";

/** Creates a folder of shell scripts with these names. */
async function makePrograms(scripts: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-browsers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

test("uses the first installed browser that starts, skipping install stubs", async () => {
  const folder = await makePrograms({
    chromium: "echo install me; exit 1",
    "google-chrome": "echo Google Chrome 150.0",
  });
  const found = await findChromium({ PATH: folder });
  expect(found).toEqual({ executablePath: join(folder, "google-chrome") });
});

test("uses only the browser in MILLRACE_CHROMIUM if it is set", async () => {
  const folder = await makePrograms({ mine: "echo Chromium 1", broken: "exit 127" });
  const named = (name: string) => findChromium({ MILLRACE_CHROMIUM: join(folder, name), PATH: "" });
  expect(await named("mine")).toEqual({ executablePath: join(folder, "mine") });
  await expect(named("broken")).rejects.toThrow("does not start");
  await expect(named("missing")).rejects.toThrow("does not start");
});

test("rejects a package with another checksum", () => {
  expect(() => assertIntegrity(Buffer.from("another"))).toThrow("SHA-512");
});

test("the notice explains a missing browser and is empty otherwise", () => {
  expect(describeSearch({ reasons: ["npm: offline"] })).toContain("LEFT OUT");
  expect(describeSearch({ reasons: ["npm: offline"] })).toContain("npm: offline");
  expect(describeSearch({ program: { executablePath: "/x" }, reasons: [] })).toBe("");
});
