/**
 * Tests of the vocabulary: names of files and functions, and the start of comments. The glossary is in
 * ARCHITECTURE.md.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((path) => path !== join("src", "tables.ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const shipped = sources.filter(
  ({ path }) => !/\.test\.ts$|\/testing|\/samples\.ts$|\/process\/|\/child\.ts$/.test(path),
);

/** Common nouns that end like a gerund or a participle. */
const NOUNS =
  /(^|-)(testing|string|setting|embedding|binding|load-shedding|ping|feed|seed|embed)s?$/;
/** Past forms that do not end in -ed. */
const PAST =
  "told|said|kept|held|given|shown|seen|found|known|taken|made|done|sent|left|gone|written|meant";
const PARTICIPLE = new RegExp(
  `^(?!embed$|need$|feed$|proceed$|substring$|ping$)[a-z]+(ed|ing)$|^(${PAST})$`,
);
/** Responses have the name of their HTTP status. `unwrapped` is the one without an envelope. */
const RESPONSES = new Set(["created", "accepted", "unwrapped"]);
/** Verbs of all stores, used through their namespace. */
const STORE_VERBS = new Set(
  "find findByName get lock list count insert update remove create hold Row samples".split(" "),
);

test("a file is named for its subject, not for an activity", () => {
  const gerunds = sources
    .map(({ path }) => ({ path, stem: basename(path).replace(/\..*$/, "") }))
    .filter(({ stem }) => /(ing|ed)$/.test(stem) && !NOUNS.test(stem));
  expect(gerunds.map(({ path }) => path)).toEqual([]);
});

test("file names in a folder differ by more than an ending", () => {
  const pairs = [...folders()].flatMap(([folder, paths]) => {
    const stems = Map.groupBy(paths, (path) =>
      basename(path, ".ts")
        .replace(/(ing|ed|er|es|s)$/, "")
        .replace(/e$/, ""),
    );
    return [...stems.values()].filter(({ length }) => length > 1).map((same) => [folder, ...same]);
  });
  expect(pairs).toEqual([]);
});

test("no folder has more than fourteen sources", () => {
  const full = [...folders()].filter(([, paths]) => paths.length > 14);
  expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
});

test("a function name is a verb with an object, not a bare participle", () => {
  const bare = functions().filter(({ name }) => PARTICIPLE.test(name) && !RESPONSES.has(name));
  expect(bare.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test("`…Of` derives from its one argument, without I/O", () => {
  const wrong = functions().filter(
    ({ name, isAsync, parameters }) => /[a-z]Of$/.test(name) && (isAsync || parameters > 1),
  );
  expect(wrong.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test("an exported name has one meaning", () => {
  const areas = new Map<string, Set<string>>();
  for (const { path, text } of shipped) {
    const area = path.startsWith("src/kernel/") ? "kernel" : path.split("/").slice(1, 4).join("/");
    for (const name of exportsOf(text)) areas.set(name, (areas.get(name) ?? new Set()).add(area));
  }
  const many = [...areas].filter(([name, { size }]) => size > 3 && !STORE_VERBS.has(name));
  expect(many.map(([name, { size }]) => `${name}: ${size} areas`)).toEqual([]);
});

test("an exported type names its subject", () => {
  const bare =
    /^(Place|Part|Plan|Outcome|Status|Fault|Entry|Found|Known|Kept|Given|Wanted|Asked|Draft|Told|Said|Shown|Step)$/;
  const vague = shipped.flatMap(({ path, text }) =>
    exportsOf(text)
      .filter((name) => bare.test(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(vague).toEqual([]);
});

test("identifiers use industry terms", () => {
  const dialect =
    /\b(Outside|[cC]onvoy|[lL]anes?|[tT]old|[sS]aid|[wW]anted|tellPeople|handOut|[sS]ight|sightOf|[wW]orkshop|shelf|lobby|whoever|troubles?|[fF]aults?|pieces?|Piece|[nN]ews|[sS]hown|veiled|glance|wish(es)?|referTo|carryOut|[lL]ens|hearing|seeing|[mM]aking)\b/g;
  const used = shipped.flatMap(({ path, text }) =>
    [...new Set(codeOf(text).match(dialect))].map((word) => `${path}: ${word}`),
  );
  expect(used).toEqual([]);
});

test("a comment begins with its subject", () => {
  const riddle =
    /(?:\/\*\*\s+(?:\* )?|(?<!\/\/.*\n\s*)\/\/ )((?:Who|Whoever|Whose|What|The same)\b.*)/g;
  const riddles = shipped.flatMap(({ path, text }) =>
    [...text.matchAll(riddle)].map(([, comment = ""]) => `${path}: ${comment.slice(0, 80)}`),
  );
  expect(riddles).toEqual([]);
});

test("a file under 25 lines has two users, or is an index, a list, a call layer or a program", () => {
  const users = new Map<string, number>();
  for (const { path, text } of shipped)
    for (const target of new Set(importsOf(path, text)))
      users.set(target, (users.get(target) ?? 0) + 1);
  const crumbs = shipped.filter(
    ({ path, text }) =>
      text.split("\n").length < 25 &&
      users.get(path) === 1 &&
      dirname(path) !== "src" &&
      !/\/(index|events|permissions)\.ts$|\/operation\/layers\//.test(path),
  );
  expect(crumbs.map(({ path }) => path)).toEqual([]);
});

test("common engineering terms are used for their concepts", () => {
  const words =
    "SSRF|lease|fan-out|dead letter|load shedding|checkpoint|breach|vector index|sanitis|back-off|consumer|idempotency|circuit breaker|rate limit";
  const missing = words.split("|").filter((word) => {
    const spelled = new RegExp(word.replace(/[ -]/, "[ -]?"), "i");
    return !shipped.some(
      ({ path, text }) => spelled.test(basename(path)) || spelled.test(headOf(text)),
    );
  });
  expect(missing).toEqual([]);
});

test("documents reference existing files", () => {
  const documents = globSync(["*.md", "docs/**/*.md", "proof/*.md", "bench/*.md"], {
    cwd: join(root, ".."),
  });
  const lost = documents.flatMap((document) => {
    const text = readFileSync(join(root, "..", document), "utf8");
    // CONTRIBUTING shows bookmarks as an example of a new domain.
    return [...text.matchAll(/`((?:server\/src\/)?(?:kernel|domains|process|cli)\/[\w./-]+\.ts)`/g)]
      .map(([, path = ""]) => path.replace(/^server\/src\//, ""))
      .filter(
        (path) =>
          !path.includes("/bookmarks/") &&
          !sources.some((source) => source.path === join("src", path)),
      )
      .map((path) => `${document}: ${path}`);
  });
  expect(lost).toEqual([]);
});

test("every ADR has a number, a standard heading, a unique name and an index entry", () => {
  const decisions = join(root, "../docs/adr");
  const index = readFileSync(join(decisions, "README.md"), "utf8");
  const files = globSync("[0-9]*.md", { cwd: decisions }).toSorted();
  const listed = [...index.matchAll(/^- \[(\d{4})\]\((\1-[^)]+)\)/gm)].map(([, , file]) => file);
  expect(listed.toSorted()).toEqual(files);
  const headings = files.map((file) => readFileSync(join(decisions, file), "utf8").split("\n")[0]);
  expect(headings.filter((line, at) => !line?.startsWith(`# ${files[at]?.slice(0, 4)}. `))).toEqual(
    [],
  );
  for (const names of [files.map((file) => file.slice(0, 4)), files.map((file) => file.slice(5))]) {
    expect(new Set(names).size).toBe(names.length);
  }
});

function folders(): Map<string, string[]> {
  return Map.groupBy(
    shipped.map(({ path }) => path),
    (path) => dirname(path),
  );
}

function exportsOf(text: string): string[] {
  const declared = /^export (?:async )?(?:function\*?|const|class|interface|type|let) (\w+)/gm;
  return [...text.matchAll(declared)].map(([, name = ""]) => name);
}

/** The comment at the top of a file, or of its first declaration. */
function headOf(text: string): string {
  return text.slice(0, 4_000);
}

interface FunctionDeclaration {
  readonly path: string;
  readonly name: string;
  readonly isAsync: boolean;
  readonly parameters: number;
}

function functions(): FunctionDeclaration[] {
  const declared = /^(?:export )?(async )?function\*? (\w+)(?:<[\s\S]*?>)?\(/gm;
  return shipped.flatMap(({ path, text }) =>
    [...text.matchAll(declared)].map((match) => ({
      path,
      name: match[2] ?? "",
      isAsync: match[1] !== undefined,
      parameters: countParameters(text.slice(match.index + match[0].length)),
    })),
  );
}

/** Counts the commas of the outermost level up to the closing bracket. */
function countParameters(rest: string): number {
  let depth = 1;
  let commas = 0;
  let last = "(";
  for (let index = 0; index < rest.length; index += 1) {
    const char = rest.charAt(index);
    if ("([{<".includes(char)) depth += 1;
    else if (")]}".includes(char) || (char === ">" && rest[index - 1] !== "=")) depth -= 1;
    if (depth === 0) break;
    if (char === "," && depth === 1) commas += 1;
    if (char.trim()) last = char;
  }
  if (last === "(") return 0;
  return last === "," ? commas : commas + 1;
}

/** Code without comments and texts. Template expressions are kept. */
function codeOf(text: string): string {
  const prose = /\/\*[\s\S]*?\*\/|\/\/.*$|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/gm;
  return text.replace(prose, (match) =>
    match.startsWith("`") ? (match.match(/\$\{[^}]*\}/g) ?? []).join(" ") : "",
  );
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\()\s*"([#.][^"]+\.ts)"/g)].map(([, name = ""]) =>
    name.startsWith("#") ? name.replace("#", "src/") : join(dirname(path), name),
  );
}
