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

/** The rank of server results: below exact matches, above scattered letters. */
export function rankEntry({ label, also = "", isFound = false }: Ranked, typed: string): number {
  return Math.max(rank(`${label} ${also}`, typed), isFound ? FOUND : -1);
}

/**
 * Says how well a text answers what was typed: best where it stands in it as a whole, at the start or at a word's; then
 * the letters in order, better when they follow each other or begin a word. Below zero it does not.
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

/** Letters that neither follow each other nor begin a word are chance. */
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
