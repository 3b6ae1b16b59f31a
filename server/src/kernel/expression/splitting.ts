import { EXPRESSION_CHARACTERS_MAX } from "./parse.ts";

/** A piece of a string: text as it stands, or an expression and where its own text begins. */
export type Piece =
  | { readonly text: string; readonly expression?: undefined }
  | { readonly expression: string; readonly offset: number };

/** The pieces of a string, or the place of a `{{` that nothing closes. */
export type Split =
  | { readonly pieces: readonly Piece[]; readonly unclosed?: undefined }
  | { readonly unclosed: number; readonly pieces?: undefined };

const OPEN = "{{";
const CLOSE = "}}";
const ESCAPED = "\\{{";

/** Splits a string at its expressions. `\{{` stands for `{{`. */
export function split(string: string): Split {
  const pieces: Piece[] = [];
  let text = "";
  let at = 0;
  for (let open = string.indexOf(OPEN); open !== -1; open = string.indexOf(OPEN, at)) {
    if (string.startsWith(ESCAPED, open - 1) && open > at) {
      text += string.slice(at, open - 1) + OPEN;
      at = open + OPEN.length;
      continue;
    }
    text += string.slice(at, open);
    const offset = open + OPEN.length;
    const end = endOf(string, offset);
    if (end === -1) return { unclosed: open };
    if (text !== "") pieces.push({ text });
    text = "";
    pieces.push({ expression: string.slice(offset, end), offset });
    at = end + CLOSE.length;
  }
  text += string.slice(at);
  if (text !== "" || pieces.length === 0) pieces.push({ text });
  return { pieces };
}

/** Where the `}}` stands that ends an expression: not one within a text or of an inner object. */
function endOf(string: string, from: number): number {
  // Longer ones are refused anyway, and a search must not go through all of a large string each time.
  const window = string.slice(from, from + EXPRESSION_CHARACTERS_MAX + CLOSE.length);
  let depth = 0;
  let before = "(";
  for (let at = 0; at < window.length; at += 1) {
    const character = window.charAt(at);
    const opaque = opaqueAt(window, at, before);
    if (opaque) {
      opaque.lastIndex = at;
      // What opens and does not close makes no expression.
      if (!opaque.test(window)) return -1;
      at = opaque.lastIndex - 1;
      before = character;
      continue;
    }
    if (depth === 0 && window.startsWith(CLOSE, at)) return from + at;
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (character.trim() !== "") before = character;
  }
  return -1;
}

/** The pattern of what begins here, if braces in it are none: a text, a quoted name, a comment. */
function opaqueAt(window: string, at: number, before: string): RegExp | undefined {
  if (window.startsWith("/*", at)) return COMMENT;
  const character = window.charAt(at);
  if (character === "/") return BEFORE_REGEX.has(before) ? REGEX : undefined;
  return QUOTED.get(character);
}

const COMMENT = /\/\*[\s\S]*?\*\//y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
/** After one of these a slash begins a regular expression; after all else it divides. */
const BEFORE_REGEX: ReadonlySet<string> = new Set("([{,;:=<>+-*&?~|!");
const QUOTED: ReadonlyMap<string, RegExp> = new Map([
  ['"', /"(?:[^"\\]|\\[\s\S])*"/y],
  ["'", /'(?:[^'\\]|\\[\s\S])*'/y],
  ["`", /`[^`]*`/y],
]);
