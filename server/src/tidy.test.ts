import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const sources = globSync("src/**/*.ts", { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));
const shipped = sources.filter(
  ({ path }) => !/\.test\.ts$|\/testing|\/samples\.ts$|\/process\/|\/child\.ts$/.test(path),
);

test("the kernel imports no domain, and domains import others only by their index.ts", () => {
  const trespasses = shipped.flatMap(({ path, text }) =>
    importsOf(path, text)
      .filter((target) => {
        const [from, to] = [areaOf(path), areaOf(target)];
        if (from === "kernel") return to !== "kernel" && target !== "src/tables.ts";
        if (from === "" || to === "" || to === from || to === "kernel") return false;
        return !target.endsWith("/index.ts");
      })
      .map((target) => `${path} -> ${target}`),
  );
  expect(trespasses).toEqual([]);
});

test("the kernel does not reference product areas", () => {
  const kernel = globSync("src/kernel/**/*", { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const naming = kernel.filter((path) => /n8n/i.test(path + readFileSync(path, "utf8")));
  expect(naming).toEqual([]);
});

test("has no import cycles, including types", () => {
  const imports = new Map(
    shipped.map(({ path, text }) => [
      path,
      importsOf(path, text).filter((to) => to.endsWith(".ts")),
    ]),
  );
  const left = new Set(imports.keys());
  // Files that import only cycle-free files are removed repeatedly. The rest is in a cycle or leads to one.
  for (let before = -1; left.size !== before;) {
    before = left.size;
    for (const path of left) {
      if (!imports.get(path)?.some((target) => left.has(target))) left.delete(path);
    }
  }
  const circular = [...left].filter((path) => isReachable(path, path));
  expect(circular).toEqual([]);

  function isReachable(from: string, to: string, seen = new Set<string>()): boolean {
    return (imports.get(from) ?? []).some((target) => {
      if (target === to) return true;
      if (!left.has(target) || seen.has(target)) return false;
      seen.add(target);
      return isReachable(target, to, seen);
    });
  }
});

test("a domain imports nothing from the root", () => {
  const upward = shipped
    .filter(({ path }) => path.startsWith("src/domains/"))
    .flatMap(({ path, text }) => importsOf(path, text).map((target) => ({ path, target })))
    .filter(({ target }) => areaOf(target) === "" && target !== "src/tables.ts");
  expect(upward).toEqual([]);
});

test("only the kernel accesses the log, and no domain names its workspace in SQL", () => {
  const guilty = shipped.filter(({ path, text }) => {
    if (!path.startsWith("src/domains/")) return false;
    return /insertInto\("events|(into|from|join|update) events\b|where\("workspace_id"|where workspace_id/.test(
      text,
    );
  });
  expect(guilty.map(({ path }) => path)).toEqual([]);
});

test("only outbound calls access the network", () => {
  const guilty = shipped.filter(
    ({ path, text }) =>
      // The preflight check listens for a moment without calling anything, and types have no effect. The socket of an
      // export belongs to the database driver, which connects only to the database.
      !/\/(outbound|embedded|browser)\/|^src\/(preflight|portability\/copy-socket)\.ts$/.test(
        path,
      ) &&
      /^import (?!type ).* from "(undici|node:https?|node:net|node:tls)"|\bfetch\(/m.test(text),
  );
  expect(guilty.map(({ path }) => path)).toEqual([]);
});

test("no file exceeds the maximum length, and most are short", () => {
  const lengths = sources
    .filter(({ path }) => path !== "src/tables.ts")
    .map(({ path, text }) => ({ path, lines: text.split("\n").length }));
  expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  const large = lengths.filter(({ lines }) => lines > 300).length;
  expect(large / lengths.length).toBeLessThanOrEqual(0.05);
});

test("comments do not exceed 120 columns", () => {
  const wide = sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .filter((line) => line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(wide).toEqual([]);
});

test("a file is named for its subject", () => {
  const vague = /\/(utils?|helpers?|common|types|interfaces|constants|managers?|base|misc)\.ts$/;
  expect(sources.filter(({ path }) => vague.test(path))).toEqual([]);
});

test("has no open tasks in comments", () => {
  // Split, so that this file does not match itself.
  const unfinished = new RegExp(
    ["TO" + "DO", "FIX" + "ME", "XX" + "X", "not " + "implemented"].join("|"),
  );
  expect(sources.filter(({ text }) => unfinished.test(text)).map(({ path }) => path)).toEqual([]);
});

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\()\s*"([#.][^"]+)"/g)].map(([, name = ""]) =>
    name.startsWith("#") ? name.replace("#", "src/") : join(dirname(path), name),
  );
}

/**
 * "kernel", "itsm/incidents", "webhooks", or "" for the few files at the root. A domain is a folder with an index.ts,
 * or one in a group of domains.
 */
function areaOf(path: string): string {
  if (path.startsWith("src/kernel/")) return "kernel";
  const [, family = "", rest = ""] = /^src\/domains\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (existsSync(join(root, "src/domains", family, "index.ts"))) return family;
  const [name = ""] = rest.split("/");
  if (existsSync(join(root, "src/domains", family, name, "index.ts"))) return join(family, name);
  return family && join(family, dirname(rest));
}

test("the suite runs every test with a known seed, and mocks no module of the product", () => {
  const consoleRoot = join(root, "../console");
  const tests = [
    ...sources,
    ...globSync("src/**/*.test.ts", { cwd: consoleRoot }).map((path) => ({
      path: `console/${path}`,
      text: readFileSync(join(consoleRoot, path), "utf8"),
    })),
  ].filter(({ path }) => /\.test\.ts$|\/testing/.test(path) && path !== "src/tidy.test.ts");
  // A long form runs more rounds of a test, see kernel/testing/thorough.ts.
  const faults =
    /(runIf|skipIf)\(!?IS_THOROUGH|\b(test|describe)\.(skip|only|todo)\(|\bvi\.(mock|doMock)\(|Math\.random\(/;
  expect(tests.filter(({ text }) => faults.test(text)).map(({ path }) => path)).toEqual([]);
  expect(tests.length).toBeGreaterThan(600);
});
