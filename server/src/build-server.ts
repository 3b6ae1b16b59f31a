/**
 * Builds the server into one bundle: `node server/src/build-server.ts [folder]`. Without a folder it is for a start of
 * the product, with its settings: nothing is made where that start will be refused, and the bundle goes to the cache.
 *
 * Parts that are loaded late stay files of their own. Programs of processes are bundled beside it. Threads of ours run
 * from the sources, which the bundle names by their paths, and so do libraries that not every start loads.
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

/** The programs of processes that the command line has as well. */
export const OFFLINE_PROGRAMS = {
  "evaluator-process": "kernel/expression/pool/evaluator-process.ts",
  "script-process": "kernel/sandbox/process/program.ts",
};

/** All of them by their names in a bundle: `programFile` finds them there. */
const PROCESS_PROGRAMS = {
  ...OFFLINE_PROGRAMS,
  "document-process": "domains/documents/work/document-process.ts",
  "embedder-process": "kernel/embedding/embedder-process.ts",
  "openapi-process": "domains/connectors/openapi/child.ts",
  "picture-process": "domains/files/pictures/picture-process.ts",
};

/** Libraries that every start loads: Node looks for each of their files, some 400. */
const BUNDLED =
  /^(?:@millrace\/client|croner|fast-json-stringify|fastify|kysely|luxon|pg|pino|prom-client|secure-json-parse|semver|typebox|undici)(?:\/|$)/;
const OURS = /^[./#\0]|^node:/;

/** Resolves libraries here: from the data folder they would not be found. What a bundled one needs is bundled too. */
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
 * Leaves out what we never use of the HTTP client: its fetch, caches and mocks are most of it, and each process would
 * hold them.
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
    // As the library's own index does it: a dispatcher can request nothing by itself.
    return `${parts.join("\n")}
Dispatcher.prototype.request = request;
export { Agent, buildConnector };`;
  },
};

/** Lets a module find the files beside it. */
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

/** Bundles programs, each named with its path among the sources. */
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
    // One sign beyond Latin-1 would double what the text takes in memory, and spaces are a third of it.
    charset: "ascii",
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
}

/** Bundles each program of a process by itself: it loads nothing of the server's. */
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
    // The start itself says what is wrong.
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
