import { SECRET_CHARACTERS_MIN } from "./secret-forms.ts";

export interface Pattern {
  readonly text: string;
  /** The replacement text. */
  readonly label: string;
}

const FEW_PATTERNS = 128;

/**
 * Finds many texts in one pass, so that a log line costs the same for ten secrets or ten thousand encodings. A rolling
 * hash of four characters is compared with the starts of all patterns; only on a match are patterns compared, longest
 * first.
 */
export class Matcher {
  /** Four shifts remove a character from the hash. */
  readonly #shiftBits: number;
  readonly #mask: number;
  readonly #marks: Uint8Array;
  readonly #buckets = new Map<number, Pattern[]>();

  constructor(patterns: readonly Pattern[]) {
    // A small table for few patterns, because most matchers are small and short-lived.
    this.#shiftBits = patterns.length <= FEW_PATTERNS ? 3 : 4;
    const slots = 1 << (this.#shiftBits * SECRET_CHARACTERS_MIN);
    this.#mask = slots - 1;
    this.#marks = new Uint8Array(slots);
    for (const pattern of patterns) this.#add(pattern);
    for (const bucket of this.#buckets.values()) {
      bucket.sort((left, right) => right.text.length - left.text.length);
    }
  }

  /** True if any of the patterns occurs. */
  occursIn(text: string): boolean {
    return this.#find(text, 0) !== undefined;
  }

  /**
   * Replaces every occurrence of every pattern. Overlapping matches are replaced as one span, because replacing only
   * the first would leave a part of the second.
   */
  replace(text: string): string {
    let result = "";
    let labels = "";
    let end = 0;
    for (let match = this.#find(text, 0); match; match = this.#find(text, match.start + 1)) {
      const { start, pattern } = match;
      const stop = start + pattern.text.length;
      if (start >= end) {
        result += labels + text.slice(end, start);
        labels = pattern.label;
        end = stop;
      } else if (stop > end) {
        if (!labels.endsWith(pattern.label)) labels += pattern.label;
        end = stop;
      }
    }
    return end === 0 ? text : result + labels + text.slice(end);
  }

  #add(pattern: Pattern): void {
    if (pattern.text.length < SECRET_CHARACTERS_MIN) throw new Error("A pattern is too short.");
    let hash = 0;
    for (let index = 0; index < SECRET_CHARACTERS_MIN; index += 1) {
      hash = ((hash << this.#shiftBits) ^ pattern.text.charCodeAt(index)) & this.#mask;
    }
    this.#marks[hash] = 1;
    const bucket = this.#buckets.get(hash);
    if (bucket) bucket.push(pattern);
    else this.#buckets.set(hash, [pattern]);
  }

  /** Finds the first match from `from`, preferring the longest pattern. */
  #find(text: string, from: number): Match | undefined {
    if (this.#buckets.size === 0) return undefined;
    // Local variables, because this loop runs for every character of the output.
    const marks = this.#marks;
    const shiftBits = this.#shiftBits;
    const mask = this.#mask;
    const first = from + SECRET_CHARACTERS_MIN - 1;
    let hash = 0;
    for (let index = from; index < text.length; index += 1) {
      hash = ((hash << shiftBits) ^ text.charCodeAt(index)) & mask;
      if (marks[hash] === 0 || index < first) continue;
      const start = index + 1 - SECRET_CHARACTERS_MIN;
      const pattern = this.#buckets
        .get(hash)
        ?.find((candidate) => text.startsWith(candidate.text, start));
      if (pattern) return { start, pattern };
    }
    return undefined;
  }
}

interface Match {
  readonly start: number;
  readonly pattern: Pattern;
}
