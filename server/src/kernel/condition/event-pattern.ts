/**
 * Patterns over event types for webhooks, triggers and the audit query.
 *
 * A type consists of words separated by dots: `incident.created`, `audit.token.created`. In a pattern `*`
 * matches exactly one word, or one or more at the end: `incident.*` matches `incident.created`, `audit.*`
 * matches `audit.token.created`, `*.created` matches only `incident.created`. `*` matches everything. Patterns
 * are case-sensitive.
 */

/** The maximum length of a pattern. */
export const PATTERN_CHARACTERS_MAX = 200;

/** True if the text is a pattern. An exact event type is a pattern. */
export function isPattern(text: string): boolean {
  return text.length <= PATTERN_CHARACTERS_MAX && PATTERN.test(text);
}

/** Compiles patterns to one test that is true if any of them matches. An empty list matches nothing. */
export function compilePattern(patterns: readonly string[]): (type: string) => boolean {
  // Patterns are checked when saved, so an invalid one here is a bug.
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

/** The source of a regular expression in the syntax that JavaScript and PostgreSQL share. */
export function patternSource(pattern: string): string {
  return pattern === "*" ? "" : expressionOf(pattern).source;
}

/** Pattern words need no escaping in regular expressions. */
function expressionOf(pattern: string): RegExp {
  const words = pattern.split(".").map((word) => (word === "*" ? WORD : word));
  const more = pattern.endsWith("*") ? `(?:\\.${WORD})*` : "";
  return new RegExp(`^${words.join("\\.")}${more}$`);
}
