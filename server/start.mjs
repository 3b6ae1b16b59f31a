// Plain JavaScript, so that an older Node can still read it and say what is wrong.
import { mkdirSync } from "node:fs";
import * as modules from "node:module";
import { join } from "node:path";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `Millrace needs Node 24.12 or newer, and this is ${process.version} (${process.execPath}).\n` +
      "Start it with `npm start`, which finds the Node that `npm ci` installed under node_modules.\n",
  );
  process.exit(1);
}
// The second start finds the sources compiled. In our own folder: whoever could write there could
// make us run what they like. Only root's folder must let another account pass, the database's.
const folder = process.env.MILLRACE_DATA_DIR || "data";
mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
modules.enableCompileCache(join(folder, "cache"));
await import("./src/main.ts");
