/** Compiles field sources in rows to functions that generate code for a node. */
import { NotConvertible } from "../conversion.ts";
import type { Json } from "../n8n-workflow.ts";
import { findFunction } from "./functions/function-table.ts";
import {
  type FieldSource,
  members,
  objectCode,
  pairs,
  type ParameterReader,
  together,
} from "./service-table.ts";
import type { Source } from "./service-file.ts";

/** Code of a field for a node. Undefined if the node does not have the field. */
type Code = (read: ParameterReader) => string | undefined;

export function toFieldSource(source: Source): FieldSource {
  if (typeof source === "string") {
    if (source.startsWith("@")) return callFunction(source.slice(1), []);
    return source.startsWith("=") && source.includes("${") ? fillTemplate(source.slice(1)) : source;
  }
  const [[name, first] = [], ...others] = Object.entries(source);
  if (name?.startsWith("$") && Array.isArray(first) && others.length === 0)
    return toForm(name.slice(1), first);
  const sources = toFieldSources(source as Readonly<Record<string, Source>>);
  return (read) => objectCode(read, sources);
}

export function toFieldSources(
  sources: Readonly<Record<string, Source>>,
): Readonly<Record<string, FieldSource>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, toFieldSource(source)]),
  );
}

/** Functions with sources as arguments. */
function toForm(name: string, args: readonly unknown[]): FieldSource {
  const [first, ...rest] = args as readonly Source[];
  const path = typeof first === "string" ? first : "";
  switch (name) {
    case "code":
      return joinCode(args as readonly Source[]);
    case "or":
      return tryInTurn(args as readonly Source[]);
    case "together":
      return together(...(args as readonly Source[]).map(toFieldSource));
    case "given":
      return chooseSource((read) => read.source(`${path}|any`) !== undefined, rest);
    case "set":
      return chooseSource((read) => read.raw(path) !== undefined, rest);
    case "when": {
      const [, values, ...branches] = args;
      const expected = (Array.isArray(values) ? values : [values]) as readonly Json[];
      return chooseSource(
        (read) => expected.includes(read.raw(path) ?? null),
        branches as Source[],
      );
    }
    case "members":
      return members(path, (args[1] ?? {}) as Readonly<Record<string, string>>);
    case "pairs":
      return pairs(path, String(args[1]), String(args[2]));
    case "refuse":
      return () => {
        throw new NotConvertible(path);
      };
    default:
      return callFunction(name, args);
  }
}

function callFunction(name: string, args: readonly unknown[]): Code {
  const write = findFunction(name);
  // The arguments come from a file validated by a test.
  return (read) => write(read, ...(args as readonly never[]));
}

/** Reads the first source if the condition is true, otherwise the second. Both are optional. */
function chooseSource(
  holds: (read: ParameterReader) => boolean,
  branches: readonly (Source | null)[],
): Code {
  const [then, otherwise] = branches.map((one) => (one === null ? undefined : toFieldSource(one)));
  return (read) => {
    const chosen = holds(read) ? then : otherwise;
    return chosen === undefined ? undefined : read.source(chosen);
  };
}

/** Joins code templates and the code of other sources. */
function joinCode(parts: readonly Source[]): Code {
  const sources = parts.map((part) => toFieldSource(typeof part === "string" ? `=${part}` : part));
  return (read) => sources.map((source) => read.source(source) ?? "undefined").join("");
}

function tryInTurn(parts: readonly Source[]): Code {
  const sources = parts.map(toFieldSource);
  return (read) => {
    for (const source of sources) {
      const code = read.source(source);
      if (code !== undefined) return code;
    }
    return undefined;
  };
}

/** Code with parameters between `${` and `}`. Omitted if a parameter marked with `!` is missing. */
function fillTemplate(code: string): Code {
  // A quoted text can contain a brace.
  const parts = code.split(/\$\{((?:"[^"]*"|[^"}])*)\}/).map((part, at): Code => {
    return at % 2 === 0 ? () => part : readPlace(part);
  });
  return (read) => {
    const codes = parts.map((write) => write(read));
    return codes.includes(undefined) ? undefined : codes.join("");
  };
}

function readPlace(text: string): Code {
  if (text.endsWith("!")) return (read) => read.source(text.slice(0, -1));
  if (text.startsWith("@")) {
    const write = callFunction(text.slice(1), []);
    return (read) => write(read) ?? "undefined";
  }
  const [, path, not, value] = /^(\S+) is( not)? (.+)$/.exec(text) ?? [];
  if (path !== undefined) {
    const expected = JSON.parse(value ?? "") as Json;
    return (read) => String((read.raw(path) === expected) === (not === undefined));
  }
  const [source = "", ...usual] = text.split(" ?? ");
  const otherwise = usual.join(" ?? ") || (source.endsWith("|any") ? '""' : 'n8n.text("")');
  return (read) => read.source(source) ?? otherwise;
}
