/**
 * Bundles the offline tests for the CLI: `node server/src/offline/build.ts FOLDER`. Programs of processes are bundled
 * too, and files that they read as text are copied next to them.
 */
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { n8nLibrary } from "#domains/workflows/n8n/runtime/script-library.ts";
import { OFFLINE_PROGRAMS } from "../build-server.ts";

const SOURCES = join(import.meta.dirname, "..");
/** The programs by their names in the bundle. */
const PROGRAMS = { index: "offline/index.ts", ...OFFLINE_PROGRAMS };

/** Declarations have no side effects, so unused ones are removed. */
const DECLARATIONS =
  "command query event permission failure domain resource extensionPoint contribute executor nodeType packContent " +
  "resourcePack object nullable line text id item page patch sql Type";

const OURS = /^[./#\0]/;
/** Bundled libraries. Any other remaining import is an error. */
const BUNDLED = /^(?:typebox|luxon|croner|semver|secure-json-parse)(?:\/|$)/;

const OLDER_NODE = JSON.stringify(join(import.meta.dirname, "older-node.ts"));

/** Adds features that Node versions before 24 lack. */
const completeNode: Plugin = {
  name: "complete-node",
  transform(code, id) {
    if (Object.values(PROGRAMS).some((program) => id === join(SOURCES, program))) {
      return `import ${OLDER_NODE};\n${code}`;
    }
    if (!id.endsWith("/sandbox/process/strip-types.ts")) return null;
    return code.replace(
      'import { stripTypeScriptTypes } from "node:module";',
      `import { stripTypeScriptTypes } from ${OLDER_NODE};`,
    );
  },
};

/** Writes the bundle into a folder. */
export async function buildOffline(folder: string): Promise<void> {
  mkdirSync(join(folder, "library"), { recursive: true });
  const treeshake = {
    moduleSideEffects: [
      { test: /older-node/, sideEffects: true },
      { test: /./, sideEffects: false },
    ],
    manualPureFunctions: DECLARATIONS.split(" "),
  } as const;
  const external = (id: string): boolean => !OURS.test(id) && !BUNDLED.test(id);
  for (const [name, path] of Object.entries(PROGRAMS)) {
    const bundle = await rolldown({
      input: { [name]: join(SOURCES, path) },
      platform: "node",
      external,
      treeshake: { ...treeshake, moduleSideEffects: [...treeshake.moduleSideEffects] },
      plugins: [completeNode],
    });
    const { output } = await bundle.write({
      dir: folder,
      entryFileNames: "[name].mjs",
      codeSplitting: false,
      comments: false,
      // Processes send functions as text, by name.
      minify: name === "index" || {
        compress: false,
        mangle: false,
        codegen: { removeWhitespace: true },
      },
    });
    const foreign = output.flatMap((one) => (one.type === "chunk" ? one.imports : []));
    const left = foreign.filter((id) => !id.startsWith("node:"));
    if (left.length > 0) throw new Error(`${name} still imports ${left.join(", ")}.`);
  }
  const isolates = await rolldown({
    input: { "vm-isolates": join(import.meta.dirname, "vm-isolates.ts") },
    platform: "node",
    external,
  });
  await isolates.write({ dir: folder, format: "cjs", entryFileNames: "[name].cjs" });
  const find = createRequire(import.meta.url);
  copyFileSync(find.resolve("jsonata"), join(folder, "jsonata.js"));
  const luxon = join(dirname(find.resolve("luxon/package.json")), "build/global/luxon.min.js");
  copyFileSync(luxon, join(folder, "luxon.min.js"));
  for (const path of globSync(join(SOURCES, "kernel/sandbox/library/*.js"))) {
    copyFileSync(path, join(folder, "library", basename(path)));
  }
  for (const { name, files } of [n8nLibrary]) {
    mkdirSync(join(folder, "library", name), { recursive: true });
    for (const path of files) copyFileSync(path, join(folder, "library", name, basename(path)));
  }
}

if (import.meta.main) await buildOffline(resolve(process.argv[2] ?? "dist"));
