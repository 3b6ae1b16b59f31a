import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Reports ready and then takes long to exit, because it must free much memory. */
const CHILD = `
  import { writeFileSync } from "node:fs";
  const memory = Buffer.alloc(256 * 1024 * 1024, 1);
  process.send("ready", () => writeFileSync(process.argv[2], ""));
  process.once("disconnect", () => memory.at(-1));
`;

/** Closes the child after its ready message, before the message is read. */
const PARENT = `
  import { existsSync } from "node:fs";
  import { Subprocess } from ${JSON.stringify(join(import.meta.dirname, "subprocess.ts"))};
  const [program, said] = process.argv.slice(1);
  const one = new Subprocess({ program, args: [said], execArgv: [], env: {}, onMessage: () => undefined });
  while (!existsSync(said));
  await one.close();
`;

test("a program that waits for a process to end does so, also if the process became ready while closing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "millrace-subprocess-"));
  const program = join(folder, "child.mjs");
  await writeFile(program, CHILD);
  const args = ["--input-type=module", "-e", PARENT, program, join(folder, "said")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  await rm(folder, { recursive: true });
  // Node exits with code 13 if a program still awaits something but has nothing left to do.
  expect([status, stderr]).toEqual([0, ""]);
});
