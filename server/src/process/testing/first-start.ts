/**
 * Starts the product for the first time and stops it when ready: `node first-start.ts FOLDER`. Its data folder is
 * FOLDER/data. The cache is moved next to it, so that copies of the data folder are small.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const START = join(import.meta.dirname, "../../../start.mjs");
const [folder = ""] = process.argv.slice(2);
const data = join(folder, "data");

mkdirSync(folder);
const product = spawn(process.execPath, [START], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, MILLRACE_DATA_DIR: data },
});
createInterface({ input: product.stdout }).on("line", (line) => {
  if (line.startsWith("Millrace is ready at ")) product.kill("SIGTERM");
});
const [code, killedBy] = await once(product, "close");
if (code !== 0) throw new Error(`The first start of the run ended with ${code ?? killedBy}.`);
renameSync(join(data, "cache"), join(folder, "cache"));
