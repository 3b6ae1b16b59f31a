/** Tests of the console's structure: import direction, area boundaries, size and names of files. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../console/src");
const sources = globSync("**/*.{ts,tsx}", { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));
const shipped = sources.filter(({ path }) => !path.endsWith(".test.ts"));

/** Lower layers must not import higher ones. All other folders are areas on one level. */
const LAYERS = ["style", "ui", "data", "shell"];

test("style ← ui ← data ← shell ← areas, and areas import others only by their index.ts", () => {
  const trespasses = shipped.flatMap(({ path, text }) =>
    importsOf(path, text)
      .filter((target) => {
        const [from, to] = [areaOf(path), areaOf(target)];
        // The root composes all parts.
        if (from === "" || from === to) return false;
        const [own, other] = [LAYERS.indexOf(from), LAYERS.indexOf(to)];
        if (own !== -1) return other === -1 || other > own;
        return other === -1 && !target.endsWith("/index.ts");
      })
      .map((target) => `${path} -> ${target}`),
  );
  expect(trespasses).toEqual([]);
});

test("has no import cycles, including types", () => {
  const imports = new Map(shipped.map(({ path, text }) => [path, importsOf(path, text)]));
  const left = new Set(imports.keys());
  // Files that import only cycle-free files are removed repeatedly. The rest is in a cycle or leads to one.
  for (let before = -1; left.size !== before;) {
    before = left.size;
    for (const path of left) {
      if (!imports.get(path)?.some((target) => left.has(target))) left.delete(path);
    }
  }
  expect([...left]).toEqual([]);
});

test("no folder has two files of one name, which search and tools would confuse", () => {
  const names = shipped.map(({ path }) => path.replace(/\.tsx?$/, ""));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("only the data layer calls the server", () => {
  const guilty = shipped.filter(
    ({ path, text }) =>
      areaOf(path) !== "data" &&
      /\bfetch\(|new (EventSource|XMLHttpRequest|WebSocket)\b/.test(text),
  );
  expect(guilty.map(({ path }) => path)).toEqual([]);
});

test("texts are copied by the one function that reports when the browser denies it", () => {
  const guilty = shipped.filter(({ text }) => text.includes("clipboard.writeText"));
  expect(guilty.map(({ path }) => path)).toEqual(["ui/behaviour/copy.ts"]);
});

/** Separate from the console, because it is loaded alone. */
const OWN_PAGE = "portal";

test("each class is styled by one area, because styles of areas loaded earlier remain", () => {
  const areas = new Map<string, Set<string>>();
  for (const path of globSync("**/*.css", { cwd: root })) {
    const area = areaOf(path);
    if (area === OWN_PAGE) continue;
    const text = readFileSync(join(root, path), "utf8").replaceAll(/\/\*.*?\*\//gs, "");
    for (const [, name = ""] of text.matchAll(/(?<=[{},]\s*|^)\.([\w-]+)[^{};]*(?=\{)/g)) {
      areas.set(name, (areas.get(name) ?? new Set()).add(area));
    }
  }
  // Classes of a layer are shared, and an area can refine its use of them.
  const shared = [...areas].filter(([, of]) => of.size > 1 && of.isDisjointFrom(new Set(LAYERS)));
  expect(shared.map(([name, of]) => `${name}: ${[...of].join(", ")}`)).toEqual([]);
});

test("no file exceeds the maximum length, and most are short", () => {
  const lengths = sources.map(({ path, text }) => ({ path, lines: text.split("\n").length }));
  expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  const large = lengths.filter(({ lines }) => lines > 300).length;
  expect(large / lengths.length).toBeLessThanOrEqual(0.05);
});

/** Folders with more than fourteen sources and their counts. The list may only shrink. */
const FULL: Readonly<Record<string, number>> = {};

test("no folder has more than fourteen sources", () => {
  const folders = Map.groupBy(shipped, ({ path }) => dirname(path));
  const full = [...folders].filter(([folder, files]) => files.length > (FULL[folder] ?? 14));
  expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
});

test("files are named for their subject, not for an activity", () => {
  const vague = /^(utils?|helpers?|common|types|interfaces|constants|managers?|base|misc)$/;
  const named = /(^|-)(string|setting|binding|ping|feed|seed)s?$/;
  const wrong = sources.filter(({ path }) => {
    const stem = basename(path).replace(/\..*$/, "");
    return vague.test(stem) || (/(ing|ed)$/.test(stem) && !named.test(stem));
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("has no open tasks in comments", () => {
  const unfinished = new RegExp(["TO" + "DO", "FIX" + "ME", "XX" + "X"].join("|"));
  expect(sources.filter(({ text }) => unfinished.test(text)).map(({ path }) => path)).toEqual([]);
});

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)"/g)].map(([, name = ""]) =>
    join(dirname(path), name),
  );
}

/** The first folder. Empty for the root. */
function areaOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : "";
}

test("a comment begins with its subject", () => {
  const riddle = /(?:\/\*\*\s+(?:\* )?|(?<!\/\/.*\n\s*)\/\/ )((?:Who|Whoever|Whose|The same)\b.*)/g;
  const riddles = shipped.flatMap(({ path, text }) =>
    [...text.matchAll(riddle)].map(([, comment = ""]) => `${path}: ${comment.slice(0, 80)}`),
  );
  expect(riddles).toEqual([]);
});
