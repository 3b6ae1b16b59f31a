import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { makeSharedFolder } from "#kernel/testing/shared-folder.ts";
import { buildOffline } from "../../offline/build.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const PROGRAMS = ["main.ts", "typescript/evaluate.ts", "typescript/hooks.ts"];
const PACKAGES = {
  "@millrace/client": "client",
  "@swc/wasm-typescript": "node_modules/@swc/wasm-typescript",
  yaml: "node_modules/yaml",
};
const PROGRAM = `import { main } from "./dist/main.js";
process.exitCode = await main(process.argv.slice(2));
`;

/**
 * The CLI in npm's layout, shared by all files of a run. Resolves to its program. From the sources, each offline test
 * would load the whole product, which takes two seconds of CPU time.
 */
export async function packedCli(): Promise<string> {
  const folder = await makeSharedFolder("cli", async (draft) => {
    const bundle = await rolldown({
      input: PROGRAMS.map((name) => join(ROOT, "cli/src", name)),
      platform: "node",
      external: (id) => !/^[./]/.test(id),
    });
    await bundle.write({
      dir: join(draft, "dist"),
      preserveModules: true,
      preserveModulesRoot: join(ROOT, "cli/src"),
      entryFileNames: "[name].js",
    });
    await buildOffline(join(draft, "offline"));
    for (const [name, place] of Object.entries(PACKAGES)) {
      const link = join(draft, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, place), link);
    }
    writeFileSync(join(draft, "package.json"), '{ "type": "module" }');
    writeFileSync(join(draft, "millrace.mjs"), PROGRAM);
  });
  return join(folder, "millrace.mjs");
}
