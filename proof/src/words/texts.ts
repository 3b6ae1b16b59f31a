/** Collects the texts of the repository: API description, screens, guides, comments and test names. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TextKind } from "./rules.ts";

export interface FoundText {
  readonly kind: TextKind;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const SOURCES = "{server,console,client,cli,bench,proof,deploy}/**/*.{ts,tsx}";
const SKIPPED =
  /node_modules|\/dist\/|^client\/src\/(operations|fields|enums|machines)\.ts$|^server\/src\/tables\.ts$|^proof\/src\/words\//;
const WORDS = new Set(["summary", "description", "title"]);

export function collectTexts(root: string): readonly FoundText[] {
  const sources = globSync(SOURCES, { cwd: root }).filter((path) => !SKIPPED.test(path));
  const guides = [
    ...globSync("docs/**/*.md", { cwd: root }),
    ...globSync("*.md", { cwd: root }),
  ].filter((path) => path !== "docs/dependencies.md");
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  return [
    ...apiTexts(JSON.parse(read("contract/openapi.json"))),
    ...guides.flatMap((path) => guideTexts(path, read(path))),
    ...sources.flatMap((path) => sourceTexts(path, read(path))),
  ];
}

function apiTexts(description: unknown): readonly FoundText[] {
  const found = new Set<string>();
  const walk = (part: unknown, key: string): void => {
    if (typeof part === "string") {
      if (WORDS.has(key)) found.add(part);
    } else if (typeof part === "object" && part !== null) {
      for (const [name, value] of Object.entries(part)) walk(value, name);
    }
  };
  walk(description, "");
  return [...found].map((text) => ({ kind: "api", path: "contract/openapi.json", line: 0, text }));
}

/** Paragraphs, list items and table cells of a guide, without code. */
function guideTexts(path: string, source: string): readonly FoundText[] {
  const texts: FoundText[] = [];
  let isCode = false;
  for (const [n, line] of source.split("\n").entries()) {
    if (line.startsWith("```")) isCode = !isCode;
    else if (!isCode) {
      for (const cell of line.split("|")) {
        const text = cell.replace(/^[\s#>*-]+|^\s*\d+\. /g, "").trim();
        if (/[a-z] [a-z]/.test(text)) texts.push({ kind: "guide", path, line: n + 1, text });
      }
    }
  }
  return texts;
}

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/ ?([^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/g;
const TEST = /\b(?:test|it|describe)(?:\.\w+)*\(\s*(["'`])((?:\\.|(?!\1).)*)\1/g;
/** Text between tags, and strings that look like a sentence or a label. */
const SCREEN =
  />\s*([A-Z][^<>{}]*[a-z][^<>{}]*)\s*<|"((?:[A-Z][^"\\\n]*|[a-z]+ )[a-z][^"\\\n]* [^"\\\n]*)"/g;

function sourceTexts(path: string, source: string): readonly FoundText[] {
  const lineAt = (at: number) => source.slice(0, at).split("\n").length;
  const all = (kind: TextKind, pattern: RegExp, textOf: (match: RegExpMatchArray) => string) =>
    [...source.matchAll(pattern)].flatMap((match): FoundText[] => {
      const text = textOf(match).replace(/\s+/g, " ").trim();
      return /[a-z] [a-z]/i.test(text) ? [{ kind, path, line: lineAt(match.index), text }] : [];
    });
  const comments = all("comment", COMMENT, ([, block, line]) =>
    (block ?? line ?? "").replaceAll(/\n\s*(\*|\/\/) ?/g, " "),
  );
  if (path.endsWith(".test.ts"))
    return [...comments, ...all("test", TEST, ([, , name = ""]) => name)];
  const isScreen = path.startsWith("console/") || path.endsWith(".tsx");
  const code = isScreen ? all("ui", SCREEN, ([, inner, text]) => inner ?? text ?? "") : [];
  return [...comments, ...code.filter(({ text }) => !/^import |[{}=;]/.test(text))];
}
