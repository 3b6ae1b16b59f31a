#!/usr/bin/env node
// Runs under any Node from 20 on; the program itself is TypeScript and needs the Node that Millrace brings.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, "src/main.ts");
const bundled = join(here, "../node_modules/.bin/node");
if (Number(process.versions.node.split(".")[0]) >= 24) await import(program);
else if (existsSync(bundled)) {
  const { status } = spawnSync(bundled, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write("millrace needs Node 24 or newer.\n");
  process.exitCode = 1;
}
