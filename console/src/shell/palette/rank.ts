import { foldText } from "../../ui/behaviour/fold.ts";

const START = 100;
const WORD = 80;
const WITHIN = 60;
const FOUND = 40;

interface Ranked {
  readonly label: string;
  readonly also?: string;
  readonly isFound?: boolean;
}

/** Ranks an entry. Search results rank below visible matches and above scattered letters. */
export function rankEntry({ label, also = "", isFound = false }: Ranked, typed: string): number {
  return Math.max(rank(`${label} ${also}`, typed), isFound ? FOUND : -1);
}

/**
 * Ranks a text for a search: best if it contains the search text, at the start or at the start of a word; then if
 * it contains the letters in order, better if they are adjacent or start words. Negative if it does not match.
 */
export function rank(text: string, typed: string): number {
  const lower = foldText(text);
  const wanted = foldText(typed.trim());
  const whole = lower.indexOf(wanted);
  const brief = 1 / (1 + text.length);
  if (whole === 0) return START + brief;
  if (whole > 0) return (isWordStart(lower, whole) ? WORD : WITHIN) + brief;
  return rankLetters(lower, wanted);
}

const isWordStart = (text: string, at: number): boolean => /[\s_.@-]/.test(text[at - 1] ?? " ");

/** Letters that are neither adjacent nor start words match only by chance. */
function rankLetters(lower: string, wanted: string): number {
  let [score, at] = [0, -1];
  for (const letter of wanted.replaceAll(" ", "")) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return -1;
    if (next === at + 1) score += 3;
    else if (isWordStart(lower, next)) score += 2;
    at = next;
  }
  return score >= wanted.length ? score : -1;
}
