/** Parses CSV text as a stream. Accepts the quoting of spreadsheets and common errors. */
import { CELLS_MAX, ROW_CHARACTERS_MAX, SourceError, type SourceRow } from "./source-row.ts";

export const SEPARATORS = [",", ";", "\t", "|"] as const;

/** Receives a text in parts and returns complete rows. Empty lines are skipped. */
export class CsvScanner {
  readonly #separator: string;
  #cells: (string | null)[] = [];
  #cell = "";
  #state: "start" | "plain" | "quoted" | "quote" = "start";
  #wasQuoted = false;
  #line = 1;
  #rowLine = 1;
  #characters = 0;
  #afterReturn = false;

  constructor(separator: string) {
    this.#separator = separator;
  }

  push(text: string): SourceRow[] {
    const rows: SourceRow[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] ?? "";
      if (this.#afterReturn) {
        this.#afterReturn = false;
        if (character === "\n" && this.#state === "start" && this.#cells.length === 0) {
          from = at + 1;
          continue;
        }
      }
      if (this.#state === "quoted") {
        if (character === '"') {
          this.#take(text, from, at);
          this.#state = "quote";
          from = at + 1;
        } else if (character === "\n") this.#line += 1;
        continue;
      }
      if (character === '"') {
        if (this.#state === "start") {
          this.#cell = "";
          this.#state = "quoted";
          this.#wasQuoted = true;
          from = at + 1;
          continue;
        }
        // Two quotes inside quotes are one. A quote in an unquoted cell is literal.
        if (this.#state === "quote") {
          this.#take('"', 0, 1);
          this.#state = "quoted";
          from = at + 1;
        }
        continue;
      }
      const isEnd = character === "\n" || character === "\r";
      if (isEnd || character === this.#separator) {
        if (this.#state === "quote") this.#endCell();
        else {
          this.#take(text, from, at);
          this.#endCell();
        }
        from = at + 1;
        if (isEnd) {
          this.#line += 1;
          this.#afterReturn = character === "\r";
          this.#endRow(rows);
        }
        continue;
      }
      if (this.#state === "quote" && character !== " ") {
        // The previous quote did not end the cell, so it is literal.
        this.#take('"', 0, 1);
        this.#state = "quoted";
        from = at;
      } else if (this.#state === "start" && character.trim() !== "") this.#state = "plain";
    }
    if (this.#state !== "quote") this.#take(text, from, text.length);
    return rows;
  }

  /** The last row, if the text does not end with a line break. */
  end(): SourceRow[] {
    if (this.#state === "quoted") {
      throw new SourceError(`Line ${this.#rowLine} has an unclosed quote.`);
    }
    const rows: SourceRow[] = [];
    if (this.#cell !== "" || this.#cells.length > 0 || this.#wasQuoted) {
      this.#endCell();
      this.#endRow(rows);
    }
    return rows;
  }

  #take(text: string, from: number, to: number): void {
    if (to <= from) return;
    this.#characters += to - from;
    if (this.#characters > ROW_CHARACTERS_MAX) {
      throw new SourceError(
        `Line ${this.#rowLine} has more than ${ROW_CHARACTERS_MAX} characters. A quote may be unclosed.`,
      );
    }
    this.#cell += text.slice(from, to);
  }

  #endCell(): void {
    if (this.#cells.length >= CELLS_MAX) {
      throw new SourceError(`Line ${this.#rowLine} has more than ${CELLS_MAX} cells.`);
    }
    this.#cells.push(this.#cell === "" && !this.#wasQuoted ? null : this.#cell);
    this.#cell = "";
    this.#wasQuoted = false;
    this.#state = "start";
  }

  #endRow(rows: SourceRow[]): void {
    const isEmpty = this.#cells.length === 1 && this.#cells[0] === null;
    if (!isEmpty) rows.push({ line: this.#rowLine, cells: this.#cells });
    this.#cells = [];
    this.#characters = 0;
    this.#rowLine = this.#line;
  }
}

/** The separator for which the first lines have the same and highest number of cells. */
export function detectSeparator(head: string): string {
  const named = /^sep=([^\0\r\n"])\r?\n/i.exec(head)?.[1];
  if (named !== undefined) return named;
  const scores = SEPARATORS.map((separator) => ({
    separator,
    score: scoreSeparator(head, separator),
  }));
  const best = scores.reduce((left, right) => (right.score > left.score ? right : left));
  return best.separator;
}

function scoreSeparator(head: string, separator: string): number {
  const scanner = new CsvScanner(separator);
  let rows: readonly SourceRow[] = [];
  try {
    // The last row may be incomplete.
    rows = scanner.push(
      head.endsWith("\n") ? head : head.slice(0, head.lastIndexOf("\n") + 1) || `${head}\n`,
    );
  } catch {
    return 0;
  }
  if (rows.length === 0) return 0;
  const counts = Map.groupBy(rows, ({ cells }) => cells.length);
  const [cells, same] = [...counts].reduce((left, right) =>
    right[1].length > left[1].length ? right : left,
  );
  return cells === 1 ? 0 : (same.length / rows.length) * (1 + Math.log2(cells));
}
