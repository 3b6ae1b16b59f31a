/**
 * Packs the client and the CLI for npm: JavaScript with types, without references to this repository. `npm run pack --
 * FOLDER` writes the two archives there.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = `#!/usr/bin/env node
import { main } from "./dist/main.js";
process.exitCode = await main(process.argv.slice(2));
`;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? "dist");
const work = mkdtempSync(join(tmpdir(), "millrace-pack-"));
mkdirSync(out, { recursive: true });
try {
  compile();
  for (const name of ["client", "cli"]) packPackage(name);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** One compilation for both, because the CLI imports the client. */
function compile() {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      target: "es2023",
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
      rootDir: root,
      outDir: join(work, "built"),
      typeRoots: [join(root, "node_modules/@types")],
    },
    include: ["client", "cli"].map((name) => join(root, name, "src")),
    exclude: ["artifact-types.ts", "describe.ts"].map((name) => join(root, "client/src", name)),
  };
  const path = join(work, "tsconfig.json");
  writeFileSync(path, JSON.stringify(config));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", path], { stdio: "inherit" });
}

/** @param {string} name */
function packPackage(name) {
  const folder = join(work, name);
  const { version, description, dependencies, exports, bin } = JSON.parse(
    readFileSync(join(root, name, "package.json"), "utf8"),
  );
  cpSync(join(work, "built", name, "src"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, name, "README.md"), join(folder, "README.md"));
  if (bin) {
    // For tests without a server: the interpreter, the expressions and the sandbox (ADR 0122).
    const build = join(root, "server/src/offline/build.ts");
    execFileSync(process.execPath, [build, join(folder, "offline")], { stdio: "inherit" });
    writeFileSync(join(folder, "millrace.mjs"), PROGRAM, { mode: 0o755 });
  }
  const card = {
    name: `@millrace/${name}`,
    version,
    description,
    license: "UNLICENSED",
    type: "module",
    engines: { node: ">=20.11" },
    ...(bin && { bin }),
    ...(exports && { exports: toBuilt(exports) }),
    ...(dependencies && { dependencies }),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(card, null, 2)}\n`);
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
  });
  const [{ filename }] = Object.values(JSON.parse(packed));
  process.stdout.write(
    `${relative(".", join(out, filename.replace("@", "").replace("/", "-")))}\n`,
  );
}

/**
 * The same exports for the built files.
 * @param {Record<string, string>} exports
 */
function toBuilt(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([name, source]) => {
      const built = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
      return [name, { types: `${built}.d.ts`, default: `${built}.js` }];
    }),
  );
}
