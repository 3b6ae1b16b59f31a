/**
 * Protects against catastrophic backtracking (ReDoS). Form patterns are untrusted regular expressions, and the engine
 * tries every matching path, which can take forever. So a pattern is analysed before it is saved, and rejected if it
 * has too many paths. Others run in a thread with a time limit.
 */
const PATTERN_CHARACTERS_MAX = 300;
/** Maximum length of a matched text. */
export const SUBJECT_CHARACTERS_MAX = 200;
/** Sufficient for an e-mail address. The worst case takes some seconds, which the time limit stops. */
const MATCH_PATHS_MAX = SUBJECT_CHARACTERS_MAX ** 3;
const REPETITIONS_MAX = 1_000;

/** Checks a pattern. Returns its error. */
export function checkPattern(pattern: string): string | undefined {
  if (pattern.length > PATTERN_CHARACTERS_MAX) {
    return `must have at most ${PATTERN_CHARACTERS_MAX} characters`;
  }
  try {
    // Compiled with the same flag as in the validator.
    new RegExp(pattern, "u");
  } catch {
    return "is not a regular expression";
  }
  const skeleton = pattern.replaceAll(SINGLE_CHARACTER, (part) =>
    BACKREFERENCE.test(part) ? "\\" : "x",
  );
  if (skeleton.includes("\\")) return "must not contain back-references";
  if (/\(\?(?!:)/.test(skeleton)) return "can only contain the groups ( ) and (?: )";
  if (/\)[*+{]/.test(skeleton)) return "must not repeat a group";
  const counts = skeleton.match(/\d+(?=[\d,]*\})/g) ?? [];
  if (counts.some((count) => Number(count) > REPETITIONS_MAX)) {
    return `can repeat an expression at most ${REPETITIONS_MAX} times`;
  }
  return countMatchPaths(skeleton) > MATCH_PATHS_MAX ? "is too complex" : undefined;
}

/** An escape or a character class matches one character. */
const SINGLE_CHARACTER = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]/gu;
const BACKREFERENCE = /^\\[1-9k]/;

/** An upper bound of the paths through a pattern without repeated groups. */
function countMatchPaths(skeleton: string): number {
  let paths = 1;
  for (const [, from, comma, to] of skeleton.matchAll(/\{(\d+)(,?)(\d*)\}/g)) {
    if (comma === "") continue;
    paths *= to === "" ? SUBJECT_CHARACTERS_MAX : Number(to) - Number(from) + 1;
  }
  const unbounded = skeleton.match(/[*+]/g)?.length ?? 0;
  // The `?` of a lazy quantifier or a group does not mark an optional match.
  const optional = skeleton.replaceAll(/[*+}]\?|\(\?:/g, "").match(/\?/g)?.length ?? 0;
  return paths * countAlternatives(skeleton) * SUBJECT_CHARACTERS_MAX ** unbounded * 2 ** optional;
}

/** Counts the combinations of alternatives of all groups. */
function countAlternatives(skeleton: string): number {
  let choices = 1;
  const open = [1];
  for (const character of skeleton) {
    if (character === "(") open.push(1);
    else if (character === "|") open.push((open.pop() ?? 1) + 1);
    else if (character === ")") choices *= open.pop() ?? 1;
  }
  return choices * (open[0] ?? 1);
}

/** Limits a pattern to texts short enough for matching. */
export function limitSubject(pattern: string): string {
  return `^(?=[^]{0,${SUBJECT_CHARACTERS_MAX}}$)[^]*?(?:${pattern})`;
}
