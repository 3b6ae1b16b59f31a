/** A position in a text that a user wrote. */
export interface SourcePosition {
  /** Characters before it. */
  readonly position: number;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

/** An error in a statement. */
export interface GuardError {
  readonly message: string;
  readonly at: SourcePosition | undefined;
}

/** The position after a number of characters (not UTF-16 units). */
export function positionAt(text: string, position: number): SourcePosition {
  return new PositionMap(Buffer.from(text)).at(position);
}

const NEWLINE = 10;

/** The positions of one text, which is scanned once. */
export class PositionMap {
  readonly #bytes: Uint8Array;
  #table: { readonly positions: Uint32Array; readonly lines: readonly number[] } | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The position after a number of characters. */
  at(position: number): SourcePosition {
    const { lines } = this.#read();
    let line = 0;
    let after = lines.length;
    while (after - line > 1) {
      const middle = (line + after) >>> 1;
      if ((lines[middle] ?? 0) <= position) line = middle;
      else after = middle;
    }
    return { position, line: line + 1, column: position - (lines[line] ?? 0) + 1 };
  }

  /** The position after a number of bytes, as the parser counts. */
  atByte(byte: number): SourcePosition {
    const { positions } = this.#read();
    return this.at(positions[Math.min(byte, this.#bytes.length)] ?? 0);
  }

  /** The number of characters before each byte, and before each line. */
  #read() {
    if (this.#table) return this.#table;
    const positions = new Uint32Array(this.#bytes.length + 1);
    const lines = [0];
    let position = 0;
    for (const [index, byte] of this.#bytes.entries()) {
      positions[index] = position;
      // All bytes of a character except the first start with the bits 10.
      if ((byte & 0xc0) !== 0x80) position += 1;
      if (byte === NEWLINE) lines.push(position);
    }
    positions[this.#bytes.length] = position;
    return (this.#table = { positions, lines });
  }
}

export function characterCount(text: string): number {
  return Array.from(text).length;
}

/** An error with its line and column. */
export function describePosition({ message, at }: GuardError): string {
  return at ? `line ${at.line}, column ${at.column}: ${message}` : message;
}

export interface GuardErrors {
  readonly errors: readonly GuardError[];
}

export function guardError(message: string, at?: SourcePosition): GuardErrors {
  return { errors: [{ message, at }] };
}
