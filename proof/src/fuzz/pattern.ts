import type { Dice } from "./dice.ts";

/**
 * Generates a text that matches a regular expression. It supports the syntax used in our schemas: characters, classes,
 * groups, alternatives and repetition. Other syntax throws, so that no wrong text is generated.
 */
export function textOf(pattern: string, dice: Dice): string {
  const parser = new Parser(pattern, dice);
  return parser.alternatives();
}

/** The limit for unbounded repetition; larger values would make all texts long and similar. */
const REPEATS_MAX = 12;
const PRINTABLE = { from: 0x21, to: 0x7e };

class Parser {
  readonly #text: string;
  readonly #dice: Dice;
  #at = 0;

  constructor(text: string, dice: Dice) {
    this.#text = text;
    this.#dice = dice;
  }

  alternatives(): string {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return this.#dice.pick(options);
  }

  #sequence(): string {
    let made = "";
    while (this.#at < this.#text.length && !"|)".includes(this.#peek())) {
      if (this.#take("^") || this.#take("$")) continue;
      made += this.#repeated();
    }
    return made;
  }

  /** The repeated part is generated again each time, from its start in the expression. */
  #repeated(): string {
    const start = this.#at;
    const first = this.#atom();
    const [least, most] = this.#repetition();
    const end = this.#at;
    const count = this.#dice.between(least, most);
    let made = count > 0 ? first : "";
    for (let n = 1; n < count; n += 1) {
      this.#at = start;
      made += this.#atom();
    }
    this.#at = end;
    return made;
  }

  #repetition(): [number, number] {
    if (this.#take("*")) return [0, REPEATS_MAX];
    if (this.#take("+")) return [1, REPEATS_MAX];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return [1, 1];
    const end = this.#text.indexOf("}", this.#at);
    const [least = "0", most = least] = this.#text.slice(this.#at, end).split(",");
    this.#at = end + 1;
    const from = Number(least);
    return [from, Math.max(from, Math.min(Number(most), from + REPEATS_MAX))];
  }

  #atom(): string {
    if (this.#take("(")) {
      if (this.#take("?") && !this.#take(":")) throw new Error(`Unknown: ${this.#text}`);
      const made = this.alternatives();
      this.#take(")");
      return made;
    }
    if (this.#take("[")) return this.#class();
    if (this.#take("\\")) return this.#escaped();
    if (this.#take(".")) return "x";
    return this.#next();
  }

  #class(): string {
    const not = this.#take("^");
    const ranges: { from: number; to: number }[] = [];
    while (!this.#take("]")) {
      const from = this.#take("\\") ? this.#escapedCode(ranges) : this.#next().charCodeAt(0);
      if (from === undefined) continue;
      const isRange = this.#peek() === "-" && this.#text[this.#at + 1] !== "]";
      if (!isRange) {
        ranges.push({ from, to: from });
        continue;
      }
      this.#at += 1;
      const to = this.#take("\\") ? this.#escapedCode(ranges) : this.#next().charCodeAt(0);
      ranges.push({ from, to: to ?? from });
    }
    if (not) return this.#platform(ranges);
    const { from, to } = this.#dice.pick(ranges);
    return String.fromCharCode(this.#dice.between(from, to));
  }

  #platform(ranges: readonly { from: number; to: number }[]): string {
    for (;;) {
      const code = this.#dice.between(PRINTABLE.from, PRINTABLE.to);
      if (!ranges.some(({ from, to }) => code >= from && code <= to)) {
        return String.fromCharCode(code);
      }
    }
  }

  /** The code of a single character. A class such as \d adds its range and returns undefined. */
  #escapedCode(ranges: { from: number; to: number }[]): number | undefined {
    const letter = this.#next();
    if (letter === "d") ranges.push({ from: 48, to: 57 });
    else if (letter === "s") ranges.push({ from: 32, to: 32 });
    else if (letter === "x") return this.#hexadecimal();
    else return letter.charCodeAt(0);
    return undefined;
  }

  #escaped(): string {
    const letter = this.#next();
    if (letter === "d") return String(this.#dice.between(0, 9));
    if (letter === "s") return " ";
    if (letter === "S") return "s";
    if (letter === "x") return String.fromCharCode(this.#hexadecimal());
    return letter;
  }

  #hexadecimal(): number {
    const code = Number.parseInt(this.#text.slice(this.#at, this.#at + 2), 16);
    this.#at += 2;
    return code;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #next(): string {
    const character = this.#peek();
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}
