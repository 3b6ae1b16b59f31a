/** Reads a file in one pass and writes its rows to an internal file with random access. */
import { nameTitles } from "#domains/tables/index.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import type { FormatInput, OpenSource, SourceFormat } from "../source/open-source.ts";
import {
  type Cell,
  detachText,
  LINES_MAX,
  SourceError,
  type SourceRow,
} from "../source/source-row.ts";
import { ColumnStatistics, DistinctMemory } from "./column-guess.ts";
import { parseDay } from "./date-style.ts";
import type { SourceColumn } from "./source-column.ts";
import { parseNumber } from "./number-style.ts";

export interface SourceAnalysis {
  readonly format: SourceFormat;
  readonly lines: number;
  readonly columns: readonly SourceColumn[];
}

/** The rows of a batch can share a long text. */
const PART_CHARACTERS = 1_048_576;
const HEADER_CHARACTERS_MAX = 2_000;

/** Reads rows once. `lines` must be consumed before `result`. */
export class RowAnalysis {
  readonly #source: OpenSource;
  readonly #input: FormatInput;
  readonly #statistics: ColumnStatistics[] = [];
  readonly #memory = new DistinctMemory();
  #headers: readonly string[] | undefined;
  #hasHeader = false;
  #lines = 0;

  constructor(source: OpenSource, input: FormatInput) {
    this.#source = source;
    this.#input = input;
  }

  /** The rows as lines of JSON: `[line, [cells]]`. */
  async *lines(): AsyncGenerator<Uint8Array> {
    const turn = new TurnTimer();
    for await (const rows of this.#source.rows) {
      let text = "";
      for (const row of rows) {
        if (turn.isOver()) await turn.next();
        if (!this.#headers) {
          this.#begin(row);
          if (this.#hasHeader) continue;
        }
        const cells = row.cells.map(toStorable);
        this.#add({ line: row.line, cells });
        text += `${JSON.stringify([row.line, cells])}\n`;
        if (text.length < PART_CHARACTERS) continue;
        yield Buffer.from(text);
        text = "";
      }
      if (text !== "") yield Buffer.from(text);
    }
    if (this.#lines === 0) throw new SourceError("The file has no rows.");
  }

  result(): SourceAnalysis {
    const named = this.#source.columns ?? this.#headers ?? [];
    const headers = this.#statistics.map((_, index) => toHeader(named[index] ?? ""));
    const fields = nameTitles(headers);
    const votes = this.#statistics.filter(({ hasCommas }) => hasCommas).length;
    const prefersComma = votes > 0 || this.#source.format.separator === ";";
    const columns = this.#statistics.map((statistics, index) => ({
      ...statistics.guess({ prefersComma, field: fields[index] ?? "" }),
      header: headers[index] ?? "",
    }));
    return {
      format: { ...this.#source.format, header: this.#hasHeader },
      lines: this.#lines,
      columns,
    };
  }

  #begin({ cells }: SourceRow): void {
    this.#hasHeader =
      this.#source.format.type !== "json" && (this.#input.header ?? looksLikeHeader(cells));
    this.#headers = this.#hasHeader ? cells.map(toHeader) : [];
  }

  #add({ line, cells }: SourceRow): void {
    this.#lines += 1;
    if (this.#lines > LINES_MAX) throw new SourceError(`The file has more than ${LINES_MAX} rows.`);
    const width = Math.max(cells.length, this.#headers?.length ?? 0);
    for (let index = 0; index < width; index += 1) {
      let statistics = this.#statistics[index];
      if (!statistics) this.#statistics.push((statistics = new ColumnStatistics("", this.#memory)));
      statistics.add(cells[index] ?? null, line);
    }
  }
}

/** PostgreSQL cannot store NUL or unpaired surrogates. */
function toStorable(cell: Cell): Cell {
  if (typeof cell !== "string" || (cell.isWellFormed() && !cell.includes("\0"))) return cell;
  return cell.replaceAll("\0", "").toWellFormed();
}

function toHeader(cell: Cell): string {
  // A header becomes the unchanged title of a column.
  const text = String(cell ?? "").slice(0, HEADER_CHARACTERS_MAX);
  return detachText(text).replaceAll("\0", "").toWellFormed();
}

/** Column names are unique texts. */
function looksLikeHeader(cells: readonly Cell[]): boolean {
  const texts = cells
    .filter((cell) => typeof cell === "string" && cell.trim() !== "")
    .map((cell) => String(cell).trim());
  const isNamed =
    texts.length > 0 && cells.every((cell) => cell === null || typeof cell === "string");
  const isData = texts.some(
    (text) =>
      parseNumber(text, "point") ??
      parseNumber(text, "comma") ??
      parseDay(text, "dmy") ??
      /@.+\./.exec(text),
  );
  return isNamed && !isData && new Set(texts).size === texts.length;
}
