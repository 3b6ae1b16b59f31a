import { type GuardError, type SourcePosition, PositionMap } from "./source-position.ts";

const ERRORS_MAX = 10;
/** So many tables and so many parameters can one statement name. */
const NAMES_MAX = 1_000;

/** What a table might stand for where a function does: its alias, and the columns that it has. */
export interface FunctionAsTable {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
}

/** What a statement speaks of, and what is wrong with it. */
export class Findings {
  readonly errors: GuardError[] = [];
  /** By their names; those of the statement's own common table expressions are among them. */
  readonly relations = new Map<string, SourcePosition>();
  /** Of the relations those that are written to: they are tables, whatever else has the name. */
  readonly targets = new Set<string>();
  /** Of those the ones that it deletes from. */
  readonly deletedFrom = new Set<string>();
  readonly expressions = new Set<string>();
  /** What columns are called in it, whatever they belong to. */
  readonly names = new Set<string>();
  readonly parameters = new Map<number, SourcePosition>();
  readonly functionsAsTables: FunctionAsTable[] = [];
  /** Names with something before the dot. */
  readonly qualifiedNames: { readonly of: string; readonly name: string; readonly byte: number }[] =
    [];
  readonly #positions: PositionMap;
  #tooMany = false;

  constructor(bytes: Buffer) {
    this.#positions = new PositionMap(bytes);
  }

  /** Enough to be told at once. */
  get isFull(): boolean {
    return this.#tooMany || this.errors.length >= ERRORS_MAX;
  }

  addError(message: string, byte: number): void {
    if (!this.isFull) this.errors.push({ message, at: this.positionAt(byte) });
  }

  /** Notes where something is named first. */
  noteFirst<Name>(named: Map<Name, SourcePosition>, name: Name, byte: number): void {
    if (named.has(name)) return;
    if (named.size < NAMES_MAX) named.set(name, this.positionAt(byte));
    else {
      this.addError(`a statement names at most ${NAMES_MAX} tables and parameters`, byte);
      this.#tooMany = true;
    }
  }

  positionAt(byte: number): SourcePosition {
    return this.#positions.atByte(byte);
  }
}

/** The objects among what the parser left in a field: one, several in a list, or none. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return [value]
    .flat()
    .filter((member) => typeof member === "object" && member !== null)
    .map((member) => member as Readonly<Record<string, unknown>>);
}

/** The texts of a list of names; what is no text in it, such as a star, is left out. */
export function textsOf(value: unknown): string[] {
  return recordsOf(value).flatMap(({ String: text }) =>
    recordsOf(text).map(({ sval }) => textOf(sval)),
  );
}

/** A text; the parser leaves empty ones out. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
