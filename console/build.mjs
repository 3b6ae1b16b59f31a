// Builds the console and the portal into a folder, precompressed. The server runs this as a process of its own: nothing
// of the build tool stays in it.
import { promisify } from "node:util";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";
import { CONSOLE_BUILD, draftFolder, hashSources, storeBuild } from "../server/build-cache.mjs";

// Whoever builds it: in the environment of a test or of a developer React would be its slow development build.
process.env["NODE_ENV"] = "production";

const COMPRESSED_BYTES_MIN = 1024;
/** Of Brotli's window that holds no content. */
const WINDOW_BYTES_SPARE = 16;
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "dist"));
const sources = process.argv[3] ?? hashSources(CONSOLE_BUILD);
const draft = draftFolder(folder);

try {
  await build({
    configFile: join(import.meta.dirname, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: draft, emptyOutDir: true },
  });
  await build({
    configFile: join(import.meta.dirname, "portal.vite.config.ts"),
    logLevel: "warn",
    build: { outDir: draft },
  });
  const files = readdirSync(draft, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(woff2|png)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(files.map(compress));
  storeBuild(CONSOLE_BUILD, draft, folder, sources);
} finally {
  rmSync(draft, { recursive: true, force: true });
}

async function compress(path) {
  const bytes = readFileSync(path);
  if (bytes.length < COMPRESSED_BYTES_MIN) return;
  // A window of four megabytes for each of some hundred small files took longer than their compression.
  const needed = Math.ceil(Math.log2(bytes.length + WINDOW_BYTES_SPARE));
  const window = Math.min(needed, constants.BROTLI_MAX_WINDOW_BITS);
  const quality = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: window },
  };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, quality),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gz);
}
