/** Resolves names in a script: input, context and variables derived from them. Nothing is executed. */
import { TYPE } from "../expression/scope.ts";
import { contextType, LIST_MEMBERS, type ScriptType, TEXT_MEMBERS } from "./script-type.ts";

/** The known information about a name: its type, or a sample value. */
export type Known = { readonly type: ScriptType } | { readonly value: unknown };

const NAME = "[A-Za-z_$][\\w$]*";
const PATH = `${NAME}(?:\\??\\.${NAME}|\\[\\d+\\])*`;
/**
 * Finds the declarations of names: `const a = await b.c(`, `let { a, b } = c`, `for (const a of b)`, `b.map((a)
 * =>`.
 */
const DECLARED = new RegExp(
  `\\b(?:const|let|var)\\s+(?:(${NAME})|\\{([^}]*)\\}|\\[\\s*(${NAME})[^\\]]*\\])\\s*(=|\\bof\\b)\\s*\\(?\\s*(?:await\\s+)?(${PATH})\\s*(\\()?`,
  "g",
);
const CALLED = new RegExp(
  `(${PATH})\\.(?:map|filter|find|some|every|flatMap|forEach)\\(\\s*(?:async\\s*)?\\(?\\s*(${NAME})`,
  "g",
);

/** Returns the path before the caret: `["context", "tables", "li"]`; undefined within strings and comments. */
export function pathBefore(text: string): readonly string[] | undefined {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const quotes = line.replaceAll(/\\./g, "").match(/["'`]/g) ?? [];
  if (quotes.length % 2 === 1 || /\/\/[^"'`]*$/.test(line)) return undefined;
  const [path = ""] = /(?:[\w$)]|\[\d+\]|\??\.)*$/.exec(line) ?? [];
  // The result of a call can't be resolved.
  if (path.includes(")")) return undefined;
  return path
    .replaceAll("?.", ".")
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".");
}

export function resolvePath(
  source: string,
  names: readonly string[],
  input: unknown,
): Known | undefined {
  return followNames(readNames(source, input), names);
}

/** Returns all names at which a path can start. */
export function readNames(source: string, input: unknown): ReadonlyMap<string, Known> {
  const names = new Map<string, Known>([
    ["input", { value: input }],
    ["context", { type: contextType }],
  ]);
  const note = (name: string | undefined, known: Known | undefined): void => {
    if (name !== undefined && !names.has(name)) names.set(name, known ?? { value: undefined });
  };
  for (const [, one, several, first, by, path = "", call] of source.matchAll(DECLARED)) {
    const found = followNames(names, toNames(path));
    const result = call === undefined ? found : resultOf(found);
    const given = by === "of" ? itemOf(result) : result;
    note(one, given);
    note(first, itemOf(given));
    for (const part of several?.split(",") ?? []) {
      const [from = "", to = from] = part.split(/[:=]/, 2).map((name) => name.trim());
      if (from !== "" && !from.startsWith("...")) note(to, given && memberOf(given, from));
    }
  }
  for (const [, path = "", name] of source.matchAll(CALLED)) {
    note(name, itemOf(followNames(names, toNames(path))));
  }
  return names;
}

/** Returns the members of a value for completion. */
export function membersOf(known: Known | undefined): ReadonlyMap<string, Known> {
  if (known === undefined) return new Map();
  if ("type" in known) {
    const { members = {}, items } = known.type;
    return toMap(items ? LIST_MEMBERS : members);
  }
  const { value } = known;
  if (typeof value === "string") return toMap(TEXT_MEMBERS);
  if (Array.isArray(value)) return toMap(LIST_MEMBERS);
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(Object.entries(value).map(([name, own]) => [name, { value: own as unknown }]));
}

const toMap = (types: Readonly<Record<string, ScriptType>>): ReadonlyMap<string, Known> =>
  new Map(Object.entries(types).map(([name, type]) => [name, { type }]));

const toNames = (path: string): readonly string[] =>
  path
    .replaceAll("?.", ".")
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".");

function followNames(
  names: ReadonlyMap<string, Known>,
  [first = "", ...rest]: readonly string[],
): Known | undefined {
  let at = names.get(first);
  for (const name of rest) at = at && memberOf(at, name);
  return at;
}

function memberOf(known: Known, name: string): Known | undefined {
  return /^\d+$/.test(name) ? itemOf(known) : membersOf(known).get(name);
}

function itemOf(known: Known | undefined): Known | undefined {
  if (known === undefined) return undefined;
  if ("type" in known) return known.type.items && { type: known.type.items };
  return Array.isArray(known.value) ? { value: known.value[0] as unknown } : undefined;
}

function resultOf(known: Known | undefined): Known | undefined {
  return known && "type" in known && known.type.returns ? { type: known.type.returns } : undefined;
}

/** Returns the placeholder type if only the type is known. */
export function typeNameOf(value: unknown): string | undefined {
  const isMarked = typeof value === "object" && value !== null && TYPE in value;
  return isMarked ? String(value[TYPE]) : undefined;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Finds the position in a server error, `… (line 3, column 7)`, up to the end of the line. */
export function placeOfError(source: string, message: string): Place | undefined {
  const [, line, column] = /\(line (\d+), column (\d+|null)\)$/.exec(message) ?? [];
  if (line === undefined) return undefined;
  const lines = source.split("\n");
  const before = lines.slice(0, Number(line) - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const own = lines[Number(line) - 1] ?? "";
  const at = Math.min(Math.max((Number(column) || 1) - 1, 0), Math.max(own.length - 1, 0));
  return { from: before + at, to: before + Math.max(own.length, at + 1) };
}
