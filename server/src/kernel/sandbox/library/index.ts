/**
 * The library of scripts: parts of it are put into a script's context when its source names them, since most scripts
 * need none and all would pay. They are plain JavaScript, carried as text like the bootstrap, and guard nothing.
 * Domains contribute further ones.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE_FOLDER } from "../../work/subprocess-code.ts";
import type { ScriptLibrary } from "./script-library.ts";

const FOLDER = BUNDLE_FOLDER === undefined ? import.meta.dirname : join(BUNDLE_FOLDER, "library");

interface LibraryPart {
  /** The globals that it defines, and further words that ask for it. */
  readonly names: readonly string[];
  readonly source: () => string;
}

const OWN_PARTS: readonly LibraryPart[] = [
  { names: ["DateTime", "Duration", "Interval", "luxon"], source: luxonSource },
  ownPart(["Buffer", "TextEncoder", "TextDecoder"], "buffer", "createBuffer()"),
  ownPart(["jmespath"], "jmespath", "{ jmespath: createJmespath() }"),
  ownPart(["lists", "text"], "lists-and-text", "{ lists: createLists(), text: createText() }"),
];

/** The program to run in the context of a script before it, so that what it names is there. */
export function librarySourceFor(script: string): string {
  const named = LIBRARIES.filter(({ name }) => isNamed(name, script));
  const used = new Set(named.flatMap(({ uses }) => uses));
  const own = OWN_PARTS.filter(({ names }) =>
    names.some((name) => used.has(name) || isNamed(name, script)),
  );
  const sources = [
    ...own.map(({ source }) => source()),
    ...named.map(({ name, files, create }) =>
      partSource(files, [name], `{ ${name}: ${create}() }`),
    ),
  ];
  return sources.join("\n");
}

function isNamed(name: string, script: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(script);
}

function ownPart(names: readonly string[], file: string, made: string): LibraryPart {
  return { names, source: () => partSource([join(FOLDER, `${file}.js`)], names, made) };
}

/** A program that defines globals by the functions of some files. */
function partSource(files: readonly string[], names: readonly string[], made: string): string {
  const functions = files.map(readSource);
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

// Arguments of the process, which may read nothing else, and so can't search for them.
const [, , , luxonPath = "", , libraries = "[]"] = process.argv;
const LIBRARIES = JSON.parse(libraries) as readonly ScriptLibrary[];
const sources = new Map<string, string>();

function readSource(path: string): string {
  let source = sources.get(path);
  if (source === undefined) {
    source = readFileSync(path, "utf8").replaceAll(/^export |^import .*$/gm, "");
    sources.set(path, source);
  }
  return source;
}
