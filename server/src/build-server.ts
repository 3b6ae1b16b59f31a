/**
 * Builds the server into one bundle: `node server/src/build-server.ts [folder]`. Without a folder, it prepares a start
 * of the product with its settings: nothing is built if the start will be rejected, and the bundle is stored in the
 * cache.
 *
 * Lazily loaded parts stay separate files. Programs of child processes are bundled next to it. Threads run from the
 * sources, which the bundle references by path, like libraries that not every start loads.
 */
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import {
  cacheFolder,
  draftFolder,
  hashSources,
  removeOldBuilds,
  SERVER_BUILD,
  storeBuild,
} from "../build-cache.mjs";
import { readSettings } from "#kernel/settings.ts";
import { checkSurroundings } from "./preflight.ts";

/** The process programs that the CLI also includes. */
export const OFFLINE_PROGRAMS = {
  "evaluator-process": "kernel/expression/pool/evaluator-process.ts",
  "script-process": "kernel/sandbox/process/program.ts",
};

/** All process programs by their bundle name, which `programFile` uses. */
const PROCESS_PROGRAMS = {
  ...OFFLINE_PROGRAMS,
  "document-process": "domains/documents/work/document-process.ts",
  "embedder-process": "kernel/embedding/embedder-process.ts",
  "openapi-process": "domains/connectors/openapi/child.ts",
  "picture-process": "domains/files/pictures/picture-process.ts",
};

/** Libraries loaded by every start, in about 400 files that Node would search for. */
const BUNDLED =
  /^(?:@millrace\/client|croner|fast-json-stringify|fastify|kysely|luxon|pg|pino|prom-client|secure-json-parse|semver|typebox|undici)(?:\/|$)/;
const OURS = /^[./#\0]|^node:/;

/**
 * Resolves libraries from here, because they would not be found from the data folder. Dependencies of bundled ones are
 * bundled too.
 */
const nameLibraries: Plugin = {
  name: "name-libraries",
  resolveId(id, importer) {
    if (OURS.test(id) || BUNDLED.test(id) || importer?.includes("/node_modules/")) return null;
    return { id: import.meta.resolve(id), external: true };
  },
};

const UNDICI = "\0undici";
const UNDICI_PARTS = {
  Agent: "undici/lib/dispatcher/agent.js",
  buildConnector: "undici/lib/core/connect.js",
  Dispatcher: "undici/lib/dispatcher/dispatcher.js",
  request: "undici/lib/api/api-request.js",
};

/**
 * Removes unused parts of the HTTP client (fetch, caches, mocks): they are most of it, and each process would load
 * them.
 */
const sliceUndici: Plugin = {
  name: "slice-undici",
  resolveId: (id) => (id === "undici" ? UNDICI : null),
  load(id) {
    if (id !== UNDICI) return null;
    const parts = Object.entries(UNDICI_PARTS).map(([name, file]) => {
      const path = JSON.stringify(fileURLToPath(import.meta.resolve(file)));
      return `import ${name} from ${path};`;
    });
    // Like the library's index: a dispatcher has no request method by itself.
    return `${parts.join("\n")}
Dispatcher.prototype.request = request;
export { Agent, buildConnector };`;
  },
};

/** Lets a module find the files next to it. */
const namePlaces: Plugin = {
  name: "name-places",
  transform: {
    filter: { code: "import.meta." },
    handler(code, id) {
      const places = {
        "import.meta.dirname": dirname(id),
        "import.meta.filename": id,
        "import.meta.url": pathToFileURL(id).href,
      };
      let named = code;
      for (const [name, place] of Object.entries(places)) {
        named = named.replaceAll(name, JSON.stringify(place));
      }
      return named === code ? null : { code: named, map: null };
    },
  },
};

/** Bundles programs, each with its path among the sources. */
export async function writeBundle(
  programs: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries(programs).map(([name, path]) => [name, join(import.meta.dirname, path)]),
    ),
    platform: "node",
    plugins: [sliceUndici, nameLibraries, namePlaces],
  });
  await bundle.write({
    dir: folder,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
    comments: false,
    // A single character beyond Latin-1 would double the memory of the text, and spaces are a third of it.
    charset: "ascii",
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
}

/** Bundles each process program separately, so that it loads no server code. */
export async function writePrograms(folder: string): Promise<void> {
  for (const [name, path] of Object.entries(PROCESS_PROGRAMS)) {
    await writeBundle({ [name]: path }, folder);
  }
}

async function buildServer(folder: string): Promise<void> {
  const sources = hashSources(SERVER_BUILD);
  const draft = draftFolder(folder);
  try {
    await writeBundle({ main: "main.ts", cli: "cli/main.ts" }, draft);
    await writePrograms(draft);
    storeBuild(SERVER_BUILD, draft, folder, sources);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function findFolder(): Promise<string | undefined> {
  try {
    const settings = readSettings(process.env);
    await checkSurroundings(settings);
    return cacheFolder(SERVER_BUILD, settings.dataDir, hashSources(SERVER_BUILD));
  } catch {
    // The start itself reports the error.
    return undefined;
  }
}

if (import.meta.main) {
  const [given] = process.argv.slice(2);
  const folder = given === undefined ? await findFolder() : resolve(given);
  if (folder !== undefined) {
    await buildServer(folder);
    if (given === undefined) removeOldBuilds(folder);
  }
}
