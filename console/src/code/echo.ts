/**
 * Texts that an editor has reported but React has not rendered. React renders reports in a separate task, and the
 * user may have typed more by then: a rendered value can be older than the editor's text and must not overwrite it.
 */
export class Echo {
  #reported: string[] = [];
  #count = 0;

  /** The number of reported texts. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns whether a text must be reported because it was neither rendered nor reported last; marks it as
   * reported.
   */
  note(text: string, drawn: string): boolean {
    if (text === (this.#reported.at(-1) ?? drawn)) return false;
    this.#reported.push(text);
    this.#count += 1;
    return true;
  }

  /**
   * Returns whether a rendered value is a reported one. Any other value comes from outside and ends the waiting. A
   * text that was reported twice counts as the earlier one, because those in between may still be rendered.
   */
  take(drawn: string): boolean {
    const at = this.#reported.indexOf(drawn);
    this.#reported = at === -1 ? [] : this.#reported.slice(at + 1);
    return at !== -1;
  }

  /** Ends the waiting when the last report was rendered, because React may have skipped earlier ones. */
  settle(count: number): void {
    if (count === this.#count) this.#reported = [];
  }
}

/** Returns the smallest change from one text to another, so that a caret outside it keeps its position. */
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
