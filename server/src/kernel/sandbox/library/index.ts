/**
 * The library of scripts. A part is only added to a script's context if its source names it, because most scripts need
 * none. The parts are plain JavaScript, sent as text like the bootstrap, and have no security function. Domains
 * contribute further ones.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE_FOLDER } from "../../work/subprocess-code.ts";
import type { ScriptLibrary } from "./script-library.ts";

const FOLDER = BUNDLE_FOLDER === undefined ? import.meta.dirname : join(BUNDLE_FOLDER, "library");

interface LibraryPart {
  /** The globals defined by the part, and other words requiring it. */
  readonly names: readonly string[];
  readonly source: () => string;
}

const OWN_PARTS: readonly LibraryPart[] = [
  { names: ["DateTime", "Duration", "Interval", "luxon"], source: luxonSource },
  ownPart(["Buffer", "TextEncoder", "TextDecoder"], "buffer", "createBuffer()"),
  ownPart(["jmespath"], "jmespath", "{ jmespath: createJmespath() }"),
  ownPart(["lists", "text"], "lists-and-text", "{ lists: createLists(), text: createText() }"),
];

/** The program that runs in a script's context before it and defines the named parts. */
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

/** Builds a program from the functions in these files and defines them as globals. */
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

/** A script can define the same name itself. */
function defineGlobal(name: string, value: string): string {
  const property = `{ value: ${value}, writable: true, configurable: true }`;
  return `Object.defineProperty(globalThis, ${JSON.stringify(name)}, ${property});`;
}

// Process arguments, because the process cannot read other folders to search for the libraries.
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
