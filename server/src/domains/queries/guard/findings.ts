import { type GuardError, type SourcePosition, PositionMap } from "./source-position.ts";

const ERRORS_MAX = 10;
/** The tables, and the parameters, that one statement can name. */
const NAMES_MAX = 1_000;

/** A function used as a table: its alias, and its columns. */
export interface FunctionAsTable {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
}

/** The names in a statement, and the errors. */
export class Findings {
  readonly errors: GuardError[] = [];
  /** By name, including common table expressions of the statement. */
  readonly relations = new Map<string, SourcePosition>();
  /** The relations that are written to; these are always tables, whatever else has the same name. */
  readonly targets = new Set<string>();
  /** The targets that it deletes from. */
  readonly deletedFrom = new Set<string>();
  readonly expressions = new Set<string>();
  /** The names of columns, of whichever relation. */
  readonly names = new Set<string>();
  readonly parameters = new Map<number, SourcePosition>();
  readonly functionsAsTables: FunctionAsTable[] = [];
  /** Names after a dot. */
  readonly qualifiedNames: { readonly of: string; readonly name: string; readonly byte: number }[] =
    [];
  readonly #positions: PositionMap;
  #tooMany = false;

  constructor(bytes: Buffer) {
    this.#positions = new PositionMap(bytes);
  }

  /** True when there are enough errors for one response. */
  get isFull(): boolean {
    return this.#tooMany || this.errors.length >= ERRORS_MAX;
  }

  addError(message: string, byte: number): void {
    if (!this.isFull) this.errors.push({ message, at: this.positionAt(byte) });
  }

  /** Notes the first position of a name. */
  noteFirst<Name>(named: Map<Name, SourcePosition>, name: Name, byte: number): void {
    if (named.has(name)) return;
    if (named.size < NAMES_MAX) named.set(name, this.positionAt(byte));
    else {
      this.addError(`a statement can use at most ${NAMES_MAX} tables and parameters`, byte);
      this.#tooMany = true;
    }
  }

  positionAt(byte: number): SourcePosition {
    return this.#positions.atByte(byte);
  }
}

/** The objects in a field of the syntax tree: one, several in a list, or none. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return [value]
    .flat()
    .filter((member) => typeof member === "object" && member !== null)
    .map((member) => member as Readonly<Record<string, unknown>>);
}

/** The texts of a list of names, without other members such as a star. */
export function textsOf(value: unknown): string[] {
  return recordsOf(value).flatMap(({ String: text }) =>
    recordsOf(text).map(({ sval }) => textOf(sval)),
  );
}

/** A text; the parser leaves empty ones out. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
