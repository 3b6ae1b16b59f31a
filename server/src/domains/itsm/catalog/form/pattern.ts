/**
 * Patterns of forms are regular expressions of strangers, and the engine tries every way of matching
 * one: with the wrong pattern that takes longer than the universe lasts. So a pattern is read before it
 * is kept, and one with too many ways is refused. The others are tried for a limited time.
 */
const PATTERN_CHARACTERS_MAX = 300;
/** A text that a pattern is tried on. */
export const SUBJECT_CHARACTERS_MAX = 200;
/** Ways of matching: enough for an address of e-mail. In the worst of cases they take some seconds. */
const WAYS_MAX = SUBJECT_CHARACTERS_MAX ** 3;
const REPETITIONS_MAX = 1_000;

/** What is wrong with a pattern, if something is. */
export function faultOfPattern(pattern: string): string | undefined {
  if (pattern.length > PATTERN_CHARACTERS_MAX) {
    return `must have at most ${PATTERN_CHARACTERS_MAX} characters`;
  }
  try {
    // As the validator reads it.
    new RegExp(pattern, "u");
  } catch {
    return "is not a regular expression";
  }
  const bare = pattern.replaceAll(ONE_CHARACTER, (part) => (REFERS_BACK.test(part) ? "\\" : "x"));
  if (bare.includes("\\")) return "must not refer back to its groups";
  if (/\(\?(?!:)/.test(bare)) return "must have no groups but ( ) and (?: )";
  if (/\)[*+{]/.test(bare)) return "must not repeat a group";
  const counts = bare.match(/\d+(?=[\d,]*\})/g) ?? [];
  if (counts.some((count) => Number(count) > REPETITIONS_MAX)) {
    return `must repeat nothing more than ${REPETITIONS_MAX} times`;
  }
  return waysOf(bare) > WAYS_MAX ? "has too many ways of matching" : undefined;
}

/** What is escaped, or stands in brackets, is one character, whatever it says. */
const ONE_CHARACTER = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]/gu;
const REFERS_BACK = /^\\[1-9k]/;

/** At most so many ways there are through a pattern without repeated groups. */
function waysOf(bare: string): number {
  let ways = 1;
  for (const [, from, comma, to] of bare.matchAll(/\{(\d+)(,?)(\d*)\}/g)) {
    if (comma === "") continue;
    ways *= to === "" ? SUBJECT_CHARACTERS_MAX : Number(to) - Number(from) + 1;
  }
  const unbounded = bare.match(/[*+]/g)?.length ?? 0;
  // What makes a repetition take little, or opens a group, is not optional.
  const optional = bare.replaceAll(/[*+}]\?|\(\?:/g, "").match(/\?/g)?.length ?? 0;
  return ways * choicesOf(bare) * SUBJECT_CHARACTERS_MAX ** unbounded * 2 ** optional;
}

/** In how many ways one can choose among the alternatives of each group. */
function choicesOf(bare: string): number {
  let choices = 1;
  const open = [1];
  for (const character of bare) {
    if (character === "(") open.push(1);
    else if (character === "|") open.push((open.pop() ?? 1) + 1);
    else if (character === ")") choices *= open.pop() ?? 1;
  }
  return choices * (open[0] ?? 1);
}

/** The same pattern, for texts that are short enough to try it on. */
export function guarded(pattern: string): string {
  return `^(?=[^]{0,${SUBJECT_CHARACTERS_MAX}}$)[^]*?(?:${pattern})`;
}
