/**
 * Says how well a text answers what was typed: the letters in order, better when they follow each other or begin a
 * word, best at the start. Below zero it does not.
 */
export function rank(text: string, typed: string): number {
  const lower = text.toLowerCase();
  let [score, at] = [0, -1];
  for (const letter of typed.toLowerCase().replaceAll(" ", "")) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return -1;
    if (next === at + 1) score += 3;
    else if (/[\s_.-]/.test(lower[next - 1] ?? "")) score += 2;
    at = next;
  }
  return score + 1 / (1 + at);
}
