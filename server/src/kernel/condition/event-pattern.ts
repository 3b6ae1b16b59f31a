/**
 * Patterns over event types, as webhooks, triggers and the audit query take them.
 *
 * A type is dotted words: `incident.created`, `audit.token.created`. In a pattern `*` stands for
 * exactly one word, but at the end for one or more: `incident.*` matches `incident.created`,
 * `audit.*` matches `audit.token.created`, `*.created` matches `incident.created` only of the two.
 * `*` alone matches everything. Case counts.
 */

/** The longest pattern that is accepted. */
export const PATTERN_CHARACTERS_MAX = 200;

/** True when the text is a pattern; an exact event type is one. */
export function isPattern(text: string): boolean {
  return text.length <= PATTERN_CHARACTERS_MAX && PATTERN.test(text);
}

/** Compiles patterns to one test: does any of them match this type? No pattern matches nothing. */
export function compilePattern(patterns: readonly string[]): (type: string) => boolean {
  // Patterns are checked when they are saved; one that is not valid here is our bug.
  const invalid = patterns.find((pattern) => !isPattern(pattern));
  if (invalid !== undefined) throw new TypeError(`Not an event pattern: ${invalid}`);
  if (patterns.includes("*")) return () => true;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const wild = patterns.filter((pattern) => pattern.includes("*")).map(expressionOf);
  if (wild.length === 0) return (type) => exact.has(type);
  return (type) => exact.has(type) || wild.some((expression) => expression.test(type));
}

const PATTERN = /^(?:[\w-]+|\*)(?:\.(?:[\w-]+|\*))*$/;

const WORD = "[^.]+";

/** A regular expression as source text, in the part of the syntax that PostgreSQL shares. */
export function patternSource(pattern: string): string {
  return pattern === "*" ? "" : expressionOf(pattern).source;
}

/** The words of a pattern hold no character that means anything in an expression. */
function expressionOf(pattern: string): RegExp {
  const words = pattern.split(".").map((word) => (word === "*" ? WORD : word));
  const more = pattern.endsWith("*") ? `(?:\\.${WORD})*` : "";
  return new RegExp(`^${words.join("\\.")}${more}$`);
}
