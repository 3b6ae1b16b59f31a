import type { FieldError } from "../operation/failure.ts";
import { jsonPointer } from "../schema/json-pointer.ts";
import { ExpressionError } from "./expression-failure.ts";
import { isArray, roundDigits } from "./fast/value.ts";
import { dotsOf, EXPRESSION_CHARACTERS_MAX } from "./parse.ts";

/** A segment of a string: literal text, or an expression with its start position. */
type Segment =
  | { readonly text: string; readonly expression?: undefined }
  | { readonly expression: string; readonly offset: number };

/** The segments of a string, or the position of an unclosed `{{`. */
type SplitResult =
  | { readonly segments: readonly Segment[]; readonly unclosed?: undefined }
  | { readonly unclosed: number; readonly segments?: undefined };

const OPEN = "{{";
const CLOSE = "}}";
const ESCAPED = "\\{{";

/** Splits a string at its expressions. `\{{` is an escaped `{{`. */
function splitTemplate(string: string): SplitResult {
  const segments: Segment[] = [];
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
    const end = findExpressionEnd(string, offset);
    if (end === -1) return { unclosed: open };
    if (text !== "") segments.push({ text });
    text = "";
    segments.push({ expression: string.slice(offset, end), offset });
    at = end + CLOSE.length;
  }
  text += string.slice(at);
  if (text !== "" || segments.length === 0) segments.push({ text });
  return { segments };
}

/** The position of the `}}` that ends an expression, skipping texts and nested objects. */
function findExpressionEnd(string: string, from: number): number {
  // Longer expressions are rejected anyway, and the search must not scan a large string each time.
  const window = string.slice(from, from + EXPRESSION_CHARACTERS_MAX + CLOSE.length);
  let depth = 0;
  let before = "(";
  for (let at = 0; at < window.length; at += 1) {
    const character = window.charAt(at);
    const opaque = opaquePatternAt(window, at, before);
    if (opaque) {
      opaque.lastIndex = at;
      // An unclosed text or comment is not an expression.
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

/** The pattern of the token here if it can contain braces: a text, a quoted name or a comment. */
function opaquePatternAt(window: string, at: number, before: string): RegExp | undefined {
  if (window.startsWith("/*", at)) return COMMENT;
  const character = window.charAt(at);
  if (character === "/") return BEFORE_REGEX.has(before) ? REGEX : undefined;
  return QUOTED.get(character);
}

const COMMENT = /\/\*[\s\S]*?\*\//y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
/** After one of these, a slash starts a regular expression. After anything else it divides. */
const BEFORE_REGEX: ReadonlySet<string> = new Set("([{,;:=<>+-*&?~|!");
const QUOTED: ReadonlyMap<string, RegExp> = new Map([
  ['"', /"(?:[^"\\]|\\[\s\S])*"/y],
  ["'", /'(?:[^'\\]|\\[\s\S])*'/y],
  ["`", /`[^`]*`/y],
]);

/** An error in a template string, with its character offset. */
export interface TemplateError extends FieldError {
  readonly position: number;
}

/** An expression in a template string, with its character offset. */
export interface TemplateSlot {
  readonly text: string;
  readonly path: string;
  readonly offset: number;
}

/** A template split into its slots. */
export interface TemplatePlan {
  readonly slots: readonly TemplateSlot[];
  readonly errors: readonly TemplateError[];
  /** Inserts the results of its slots. */
  readonly fill: Fill;
}

type Fill = (results: readonly unknown[]) => unknown;

const DEPTH_MAX = 100;
const SLOTS_MAX = 2_000;
const CHARACTERS_MAX = 200_000;
/** The parsing time of a path grows with the square of its length. */
const SQUARED_DOTS_MAX = 4_000_000;
const TEXT_CHARACTERS_MAX = 1024 * 1024;

/** Splits a template into slots. Expressions are located but not parsed. */
export function compileTemplatePlan(value: unknown): TemplatePlan {
  const planner = new TemplatePlanner();
  const fill = planner.plan(value, "", 0);
  return { slots: planner.slots, errors: planner.errors, fill };
}

class TemplatePlanner {
  readonly slots: TemplateSlot[] = [];
  readonly errors: TemplateError[] = [];
  #characters = 0;
  #squaredDots = 0;

  plan(value: unknown, path: string, depth: number): Fill {
    if (typeof value === "string") return this.#planString(value, path);
    if (typeof value !== "object" || value === null) return () => value;
    if (depth > DEPTH_MAX) {
      this.errors.push({
        path,
        message: `must have at most ${DEPTH_MAX} levels of nesting`,
        position: 0,
      });
      return () => value;
    }
    const before = this.slots.length;
    const fills = Object.entries(value).map(([name, part]: [string, unknown]) => ({
      name,
      fill: this.plan(part, jsonPointer(path, name), depth + 1),
    }));
    // A part without expressions is constant and created only once.
    const isConstant = this.slots.length === before;
    const fill = isArray(value) ? arrayFill(fills) : objectFill(fills);
    if (!isConstant) return fill;
    const constant = fill([]);
    return () => constant;
  }

  #planString(string: string, path: string): Fill {
    if (!string.includes("{{")) return () => string;
    const { segments, unclosed } = splitTemplate(string);
    if (!segments) {
      const message = "has an unclosed {{ or an unclosed quote in an expression";
      this.errors.push({ path, message, position: unclosed });
      return () => string;
    }
    const fills = segments.map((segment) => this.#planSegment(segment, path));
    const [only] = fills;
    if (only && segments.length === 1) return only;
    return (results) => joinTexts(fills.map((fill) => toText(fill(results))));
  }

  #planSegment(segment: Segment, path: string): Fill {
    if (segment.expression === undefined) return () => segment.text;
    const { expression: text, offset } = segment;
    this.#characters += text.length;
    this.#squaredDots += dotsOf(text) ** 2;
    const index = this.slots.length;
    if (
      index >= SLOTS_MAX ||
      this.#characters > CHARACTERS_MAX ||
      this.#squaredDots > SQUARED_DOTS_MAX
    ) {
      const message = "exceeds the limit: the expressions together are too long";
      if (this.errors.length === 0) this.errors.push({ path, message, position: offset });
      return () => undefined;
    }
    this.slots.push({ text, path, offset });
    return (results) => results[index];
  }
}

const OWN_PROPERTY = { enumerable: true, configurable: true, writable: true };

interface NamedFill {
  readonly name: string;
  readonly fill: Fill;
}

function arrayFill(members: readonly NamedFill[]): Fill {
  return (results) => members.map(({ fill }) => fill(results) ?? null);
}

function objectFill(members: readonly NamedFill[]): Fill {
  return (results) => {
    const result: Record<string, unknown> = {};
    for (const { name, fill } of members) {
      const value = fill(results);
      if (value === undefined) continue;
      // A plain assignment would set the prototype.
      if (name === "__proto__") Object.defineProperty(result, name, { ...OWN_PROPERTY, value });
      else result[name] = value;
    }
    return result;
  };
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return String(roundDigits(value));
  return JSON.stringify(value);
}

function joinTexts(texts: readonly string[]): string {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= TEXT_CHARACTERS_MAX) return texts.join("");
  throw new ExpressionError("too_large", "A string with expressions is too long.");
}
