import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readOnlyCodeArguments } from "./subprocess-code.ts";

test("a process that can read our code cannot read anything else, such as a master key", async () => {
  const folder = await mkdtemp(join(tmpdir(), "millrace-key-"));
  const key = join(folder, "master.key");
  await writeFile(key, "secret");
  const script = `
    const { readFileSync } = require("node:fs");
    const read = (path) => { try { return readFileSync(path, "utf8").length > 0; } catch (error) { return error.code; } };
    console.log(JSON.stringify(process.argv.slice(1).map(read)));`;
  const ours = join(import.meta.dirname, "subprocess-code.ts");
  const args = [...readOnlyCodeArguments(ours), "-e", script, "--", ours, key];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([true, "ERR_ACCESS_DENIED"]);
  await rm(folder, { recursive: true });
});
