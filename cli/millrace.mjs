#!/usr/bin/env node
// The TypeScript sources need the Node version of the repository. The npm package runs on Node 20 and newer.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const bundled = join(here, "../node_modules/.bin/node");
if (process.features.typescript) {
  const { main } = await import("./src/main.ts");
  process.exitCode = await main(process.argv.slice(2));
} else if (existsSync(bundled)) {
  const own = fileURLToPath(import.meta.url);
  const { status } = spawnSync(bundled, [own, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write("The sources of millrace need Node 24 or newer.\n");
  process.exitCode = 1;
}
