/** The trigger character before the caret. */
export interface Trigger {
  readonly mark: ";" | "@";
  readonly words: string;
  /** The position of the trigger character. */
  readonly from: number;
}

const WORDS_MAX = 30;

/** Finds `;vpn` or `@mar` before the caret, only at the start of a word: `9;30` and e-mail addresses don't match. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - WORDS_MAX - 1), caret);
  const found = /(?:^|[\s(])([;@])([\p{L}\d._-]*)$/u.exec(before);
  if (!found) return undefined;
  const [, mark, words = ""] = found;
  return { mark: mark as ";" | "@", words, from: caret - words.length - 1 };
}

interface Rankable {
  readonly label: string;
  readonly about?: string | undefined;
}

const SHOWN_MAX = 8;

/**
 * Ranks choices: labels that start with the search text, then labels with a word that starts with it, then labels
 * that contain it.
 */
export function rankChoices<T extends Rankable>(
  choices: readonly T[],
  words: string,
): readonly T[] {
  const wanted = words.toLowerCase();
  const scoreOf = ({ label, about = "" }: T): number => {
    const text = label.toLowerCase();
    if (text.startsWith(wanted)) return 4;
    if (text.split(/\W+/).some((word) => word.startsWith(wanted))) return 3;
    if (text.includes(wanted)) return 2;
    return about.toLowerCase().includes(wanted) ? 1 : 0;
  };
  return choices
    .map((choice) => ({ choice, score: scoreOf(choice) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX)
    .map(({ choice }) => choice);
}
