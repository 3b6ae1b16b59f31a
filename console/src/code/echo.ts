/**
 * Texts that an editor reported and that were not drawn yet. React draws what an editor reports in a task of its own,
 * and more may be typed by then: what comes back is older than what stands in the editor, and must not be written over
 * it.
 */
export class Echo {
  #reported: string[] = [];
  #count = 0;

  /** How many texts were reported. */
  get count(): number {
    return this.#count;
  }

  /** Says whether a text has to be reported, being neither drawn nor reported last; it is noted as reported. */
  note(text: string, drawn: string): boolean {
    if (text === (this.#reported.at(-1) ?? drawn)) return false;
    this.#reported.push(text);
    this.#count += 1;
    return true;
  }

  /**
   * Says whether a drawn value is one that was reported. Any other one is somebody else's, and ends the waiting. A text
   * that was reported twice is taken for the earlier one, since those between may still be drawn.
   */
  take(drawn: string): boolean {
    const at = this.#reported.indexOf(drawn);
    this.#reported = at === -1 ? [] : this.#reported.slice(at + 1);
    return at !== -1;
  }

  /** Ends the waiting when the last report was drawn: React may have skipped the ones before it. */
  settle(count: number): void {
    if (count === this.#count) this.#reported = [];
  }
}

/** The change that makes one text of another, as small as it can be: a caret outside it stays where it is. */
export function smallestChange(
  before: string,
  after: string,
): { readonly from: number; readonly to: number; readonly insert: string } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}
