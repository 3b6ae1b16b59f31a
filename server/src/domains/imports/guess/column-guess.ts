/** Guesses the type of a column from all its cells: one that keeps every value. Others are suggested. */
import type { ColumnTypeName } from "#domains/tables/index.ts";
import { type Cell, detachText } from "../source/source-row.ts";
import { type CellStyle, convertText } from "./convert-cell.ts";
import { DATE_ORDERS, type DateOrder, parseDay, parseTimeOfDay } from "./date-style.ts";
import { EXACT_TYPES, ExactTypes } from "./exact-types.ts";
import { currencyOf, type DecimalMark, hasLeadingZero, parseNumber } from "./number-style.ts";
import type { SourceColumn } from "./source-column.ts";
import { isEmptyWord, parseTruth } from "./words.ts";

export type GuessedType = Extract<
  ColumnTypeName,
  | "text"
  | "integer"
  | "decimal"
  | "boolean"
  | "date"
  | "timestamp"
  | "email"
  | "url"
  | "enum"
  | "json"
>;

const EMPTY_EXAMPLES_MAX = 3;
const EXAMPLES_MAX = 5;
const EXAMPLE_CHARACTERS_MAX = 200;
/** The maximum share of invalid values for a suggestion. */
const INVALID_SHARE_MAX = 0.01;
/** After this number of values, a type with more invalid ones than the share is dropped. */
const EARLY_VALUES = 2_000;
const DISTINCT_MAX = 100_000;
/** For all columns of a file together. Each value takes about a hundred bytes. */
const DISTINCT_OF_FILE_MAX = 1_000_000;
const ENUM_VALUES_MAX = 20;
const ENUM_CHARACTERS_MAX = 40;
/** The minimum average number of occurrences per choice. Lower for few choices, as in a small pasted table. */
const ENUM_REPEATS_MIN = 10;
const FEW_VALUES_MAX = 12;
const FEW_REPEATS_MIN = 3;
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

const EMAIL = /^[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]{1,190}\.[\p{L}\d-]{2,63}$/u;
const URL_TEXT = /^https?:\/\/[^\s]{3,2000}$/i;

/** A way to parse a column's texts, and the texts that fail. */
class Candidate {
  invalid = 0;
  isOut = false;
  readonly invalidExamples: { line: number; value: string }[] = [];

  miss(text: string, line: number, filled: number): void {
    this.invalid += 1;
    if (this.invalidExamples.length < EXAMPLES_MAX) {
      this.invalidExamples.push({ line, value: detachText(cutText(text)) });
    }
    this.isOut = filled > EARLY_VALUES && this.invalid > filled * INVALID_SHARE_MAX * 2;
  }
}

/** The remaining memory for distinct values of all columns. */
export class DistinctMemory {
  #left: number;

  constructor(left = DISTINCT_OF_FILE_MAX) {
    this.#left = left;
  }

  /** Returns false if the memory is used up. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

/** Collects statistics about the cells of one column. */
export class ColumnStatistics {
  readonly #header: string;
  readonly #memory: DistinctMemory;
  readonly #candidates: Readonly<Record<CandidateName, Candidate>> = {
    point: new Candidate(),
    comma: new Candidate(),
    "date dmy": new Candidate(),
    "date mdy": new Candidate(),
    "time dmy": new Candidate(),
    "time mdy": new Candidate(),
    boolean: new Candidate(),
    email: new Candidate(),
    url: new Candidate(),
    json: new Candidate(),
  };
  readonly #exact = new ExactTypes();
  readonly #distinct = new Map<string, number>();
  readonly #examples: string[] = [];
  readonly #openExamples: string[] = [];
  readonly #currencies = new Set<string>();
  #isUnique = true;
  /** True if a value did not fit into memory. */
  #isOverfull = false;
  #leadingZeros = 0;
  #filled = 0;
  #empty = 0;
  #emptyWords = 0;
  readonly #emptyExamples: string[] = [];
  #fractions = 0;
  #longNumbers = 0;
  #digitsOnly = 0;
  /** Texts that have another meaning in the other style. */
  #openNumbers = 0;
  #openDays = 0;

  constructor(header: string, memory: DistinctMemory) {
    this.#header = header;
    this.#memory = memory;
  }

  add(cell: Cell, line: number): void {
    if (cell !== null && cell !== "") this.#exact.add(cell);
    if (cell === null || (typeof cell === "string" && cell.trim() === "")) {
      this.#empty += 1;
      return;
    }
    const text = String(cell);
    if (typeof cell === "string" && isEmptyWord(cell)) {
      this.#emptyWords += 1;
      const word = cell.trim();
      const isNew =
        this.#emptyExamples.length < EMPTY_EXAMPLES_MAX && !this.#emptyExamples.includes(word);
      if (isNew) this.#emptyExamples.push(detachText(word));
      return;
    }
    this.#filled += 1;
    this.#count(text);
    if (typeof cell === "string") this.#addText(cell, line);
    else this.#addTyped(cell, line);
  }

  #count(text: string): void {
    const example = cutText(text);
    if (this.#examples.length < EXAMPLES_MAX && !this.#examples.includes(example)) {
      this.#examples.push(detachText(example));
    }
    if (this.#distinct.size >= DISTINCT_MAX || this.#isOverfull) return;
    const count = this.#distinct.get(example) ?? 0;
    if (count > 0) this.#isUnique = false;
    // After the first duplicate, the values are only needed for a short list of choices.
    if (count > 0) this.#distinct.set(example, count + 1);
    else if (this.#isUnique || this.#distinct.size <= ENUM_VALUES_MAX) this.#keep(example);
  }

  /** A list of choices is always short enough to keep. */
  #keep(value: string): void {
    if (this.#distinct.size > ENUM_VALUES_MAX && !this.#memory.take()) {
      this.#isOverfull = true;
      this.#isUnique = false;
    } else this.#distinct.set(detachText(value), 1);
  }

  #addText(text: string, line: number): void {
    if (hasLeadingZero(text)) this.#leadingZeros += 1;
    if (/^[01]$/.test(text.trim())) this.#digitsOnly += 1;
    const test = (name: CandidateName, read: () => unknown): unknown => {
      const candidate = this.#candidates[name];
      if (candidate.isOut) return undefined;
      const value = read();
      if (value === undefined || value === false) candidate.miss(text, line, this.#filled);
      return value;
    };
    const point = test("point", () => parseNumber(text, "point"));
    const comma = test("comma", () => parseNumber(text, "comma"));
    const number = point ?? comma;
    if (typeof number === "string") this.#measure(text, number);
    if (point !== undefined && comma !== undefined && Number(point) !== Number(comma)) {
      this.#openNumbers += 1;
    }
    const [dmy, mdy] = DATE_ORDERS.map((order) => {
      const day = parseDay(text, order);
      test(`date ${order}`, () => day);
      return test(`time ${order}`, () => day ?? parseTimeOfDay(text, order));
    });
    if (dmy !== undefined && mdy !== undefined && dmy !== mdy) {
      this.#openDays += 1;
      if (this.#openExamples.length < EXAMPLES_MAX) this.#openExamples.push(detachText(text));
    }
    test("boolean", () => parseTruth(text) !== undefined);
    test("email", () => EMAIL.test(text.trim()));
    test("url", () => URL_TEXT.test(text.trim()));
    test("json", () => isJson(text));
  }

  #measure(text: string, number: string): void {
    const currency = currencyOf(text);
    if (currency !== undefined && this.#currencies.size < EXAMPLES_MAX) {
      this.#currencies.add(currency);
    }
    const isWhole =
      /^[+-]?[^.,]*$/.test(text) ||
      /^[+-]?\d{1,3}(?:[., '’\u00a0\u202f]\d{3}){2,}$/.test(text.trim());
    if (!isWhole) this.#fractions += 1;
    if (/\d/.test(number) && number.replace(/\D/g, "").replace(/^0+/, "").length > 15)
      this.#longNumbers += 1;
  }

  #addTyped(cell: number | boolean, line: number): void {
    const readAs = typeof cell === "number" ? ["point", "comma"] : ["boolean"];
    for (const [name, candidate] of Object.entries(this.#candidates)) {
      if (!readAs.includes(name) && !candidate.isOut)
        candidate.miss(String(cell), line, this.#filled);
    }
    if (typeof cell !== "number") return;
    if (!Number.isInteger(cell)) this.#fractions += 1;
    else if (Math.abs(cell) > INTEGER_MAX) this.#longNumbers += 1;
  }

  /** `prefersComma` decides ambiguous numbers. It is derived from other columns of the file. */
  guess({
    prefersComma,
    field,
  }: {
    readonly prefersComma: boolean;
    readonly field: string;
  }): SourceColumn {
    const mark = this.#pick("point", "comma", prefersComma ? "comma" : "point");
    const isTime = !this.#fits("date dmy") && !this.#fits("date mdy");
    const order = isTime
      ? this.#pick("time dmy", "time mdy", "time dmy")
      : this.#pick("date dmy", "date mdy", "date dmy");
    const decided = this.#decide(mark.name as DecimalMark, order.name as CandidateName);
    const isDay = decided.type === "date" || decided.type === "timestamp";
    const isNumber = decided.type === "integer" || decided.type === "decimal";
    const style: CellStyle = {
      dateOrder: order.name.slice(-3) as DateOrder,
      decimalMark: mark.name as DecimalMark,
    };
    const { type, options } = this.#decideExact();
    // In a text column, only the empty text counts as empty.
    const words = type === "text" || type === "enum" ? this.#emptyWords : 0;
    return {
      header: this.#header,
      field,
      type,
      options,
      dateOrder: this.#mostly("time dmy", "time mdy") ? style.dateOrder : null,
      decimalMark: this.#mostly("point", "comma") ? style.decimalMark : null,
      isAmbiguous:
        (isDay && order.isTie && this.#openDays > 0) ||
        (isNumber && mark.isTie && this.#openNumbers > 0),
      ambiguousExamples: this.#openExamples,
      suggestion: type === "text" || type === "enum" ? this.#suggest(decided, style) : null,
      filled: this.#filled + words,
      empty: this.#empty + this.#emptyWords - words,
      invalid: 0,
      unique: this.#filled > 1 && this.#isUnique && this.#distinct.size < DISTINCT_MAX,
      examples: this.#examples,
      invalidExamples: [],
    };
  }

  /** A type that keeps all values unchanged. */
  #decideExact(): TypeGuess {
    if (this.#filled === 0) return TEXT;
    for (const type of EXACT_TYPES) {
      if (!this.#exact.has(type)) continue;
      if (type === "decimal") return { type, options: this.#exact.decimalOptions };
      if (type !== "enum") return { type, options: {} };
      const values = this.#listChoices();
      if (values) return { type, options: { values } };
    }
    return TEXT;
  }

  /** The type that a text column can be parsed as, for the user to choose. */
  #suggest({ type, options, candidate }: TypeGuess, style: CellStyle): Suggestion | null {
    if (candidate === undefined) return null;
    const { invalid, invalidExamples } = this.#candidates[candidate];
    const changes = this.#examples.flatMap((from) => {
      const to = convertText(from, type, style);
      return to === undefined || to === from ? [] : [{ from, to }];
    });
    const isNumber = type === "integer" || type === "decimal";
    const currencies = isNumber ? [...this.#currencies] : [];
    const emptied = { emptied: this.#emptyWords, emptiedExamples: this.#emptyExamples };
    return { type, options, invalid, invalidExamples, ...emptied, changes, currencies };
  }

  /** True if the column definitely contains numbers with a decimal comma. */
  get hasCommas(): boolean {
    return this.#fits("comma") && this.#candidates.point.invalid > this.#candidates.comma.invalid;
  }

  /** True if most values can be parsed: the style counts even if a few words make the column a text. */
  #mostly(...names: readonly CandidateName[]): boolean {
    return names.some((name) => {
      const { invalid, isOut } = this.#candidates[name];
      return !isOut && invalid < this.#filled / 2;
    });
  }

  #pick(
    first: CandidateName,
    second: CandidateName,
    preferred: CandidateName,
  ): { name: CandidateName; isTie: boolean } {
    const [a, b] = [this.#candidates[first].invalid, this.#candidates[second].invalid];
    if (a === b && !this.#candidates[first].isOut) return { name: preferred, isTie: true };
    return { name: a < b || this.#candidates[second].isOut ? first : second, isTie: false };
  }

  #fits(name: CandidateName): boolean {
    const { invalid, isOut } = this.#candidates[name];
    if (isOut || this.#filled === 0) return false;
    const isFew = invalid <= this.#filled * INVALID_SHARE_MAX;
    // In a short file, a single error is more than one percent.
    return isFew || (invalid === 1 && this.#filled >= 10);
  }

  #decide(mark: DecimalMark, order: CandidateName): TypeGuess {
    const isCode = this.#leadingZeros > this.#filled * INVALID_SHARE_MAX || this.#longNumbers > 0;
    if (this.#fits("boolean") && this.#digitsOnly < this.#filled)
      return { type: "boolean", options: {}, candidate: "boolean" };
    if (this.#fits(mark) && !isCode) {
      return { type: this.#fractions === 0 ? "integer" : "decimal", options: {}, candidate: mark };
    }
    if (this.#fits(order)) {
      return {
        type: order.startsWith("date") ? "date" : "timestamp",
        options: {},
        candidate: order,
      };
    }
    for (const name of ["email", "url", "json"] as const) {
      if (this.#fits(name)) return { type: name, options: {}, candidate: name };
    }
    return TEXT;
  }

  /** The values of a column with few frequent values. */
  #listChoices(): readonly string[] | undefined {
    const values = [...this.#distinct.keys()];
    const isShort = values.length > 1 && values.length <= ENUM_VALUES_MAX && this.#emptyWords === 0;
    const repeats = values.length <= FEW_VALUES_MAX ? FEW_REPEATS_MIN : ENUM_REPEATS_MIN;
    if (!isShort || this.#filled < values.length * repeats) return undefined;
    const trimmed = new Set(values.map((value) => value.trim()));
    const isPlain = values.every(({ length }) => length <= ENUM_CHARACTERS_MAX);
    return isPlain && trimmed.size === values.length ? [...trimmed].toSorted() : undefined;
  }
}

type Suggestion = NonNullable<SourceColumn["suggestion"]>;

interface TypeGuess {
  readonly type: GuessedType;
  readonly options: Record<string, unknown>;
  readonly candidate?: CandidateName;
}

const TEXT: TypeGuess = { type: "text", options: {} };

type CandidateName =
  | "point"
  | "comma"
  | "date dmy"
  | "date mdy"
  | "time dmy"
  | "time mdy"
  | "boolean"
  | "email"
  | "url"
  | "json";

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The start of a text. PostgreSQL would reject a split surrogate pair. */
function cutText(text: string): string {
  if (text.length <= EXAMPLE_CHARACTERS_MAX) return text;
  return text.slice(0, EXAMPLE_CHARACTERS_MAX).toWellFormed();
}
