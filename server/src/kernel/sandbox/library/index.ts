/**
 * The library of scripts: parts of it are put into a script's context when its source names them, since most scripts
 * need none and all would pay. They are plain JavaScript, carried as text like the bootstrap, and guard nothing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE_FOLDER } from "../../work/subprocess-code.ts";

const FOLDER = BUNDLE_FOLDER === undefined ? import.meta.dirname : join(BUNDLE_FOLDER, "library");

interface LibraryPart {
  readonly mentions: RegExp;
  readonly source: () => string;
}

const PARTS: readonly LibraryPart[] = [
  { mentions: /\b(?:DateTime|Duration|Interval|luxon|n8n)\b/, source: luxonSource },
  {
    mentions: /\b(?:Buffer|TextEncoder|TextDecoder|n8n)\b/,
    source: () =>
      partSource(["buffer"], ["Buffer", "TextEncoder", "TextDecoder"], "createBuffer()"),
  },
  {
    mentions: /\b(?:jmespath|n8n)\b/,
    source: () => partSource(["jmespath"], ["jmespath"], "{ jmespath: createJmespath() }"),
  },
  {
    mentions: /\b(?:lists|text)\b/,
    source: () =>
      partSource(
        ["lists-and-text"],
        ["lists", "text"],
        "{ lists: createLists(), text: createText() }",
      ),
  },
  {
    mentions: /\bn8n\b/,
    source: () =>
      partSource(
        [
          "n8n-methods",
          "n8n-conditions",
          "n8n-fields",
          "n8n-sheets",
          "n8n-sql",
          "n8n-stores",
          "n8n-documents",
          "n8n-answers",
          "n8n-helpers",
          "n8n-markup",
          "n8n",
        ],
        ["n8n"],
        "{ n8n: createN8n() }",
      ),
  },
];

/** The program to run in the context of a script before it, so that what it names is there. */
export function librarySourceFor(script: string): string {
  return PARTS.filter(({ mentions }) => mentions.test(script))
    .map(({ source }) => source())
    .join("\n");
}

/** A program that defines globals by the functions of some files. */
function partSource(files: readonly string[], names: readonly string[], made: string): string {
  const functions = files.map((file) => readSource(join(FOLDER, `${file}.js`)));
  return `{ const made = (() => { ${functions.join("\n")}\n return ${made}; })();
    ${names.map((name) => defineGlobal(name, `made.${name}`)).join("\n")} }`;
}

function luxonSource(): string {
  const names = ["DateTime", "Duration", "Interval"];
  const globals = names.map((name) => defineGlobal(name, `luxon.${name}`)).join("\n");
  return `${readSource(luxonPath)}\n${globals}`;
}

/** A script may have a name of its own in the place of one of the library. */
function defineGlobal(name: string, value: string): string {
  const property = `{ value: ${value}, writable: true, configurable: true }`;
  return `Object.defineProperty(globalThis, ${JSON.stringify(name)}, ${property});`;
}

// An argument of the process, which may read nothing else, and so can't search for it.
const [, , , luxonPath = ""] = process.argv;
const sources = new Map<string, string>();

function readSource(path: string): string {
  let source = sources.get(path);
  if (source === undefined) {
    source = readFileSync(path, "utf8").replaceAll(/^export |^import .*$/gm, "");
    sources.set(path, source);
  }
  return source;
}
