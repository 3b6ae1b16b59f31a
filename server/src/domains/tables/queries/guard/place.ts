/** Where something is in what a person wrote. */
export interface Place {
  /** Characters before it. */
  readonly position: number;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a statement. */
export interface Complaint {
  readonly message: string;
  readonly at: Place | undefined;
}

/** The place before which so many characters (not UTF-16 units) stand. */
export function placeAt(text: string, position: number): Place {
  const before = Array.from(text).slice(0, position);
  const line = before.filter((character) => character === "\n").length + 1;
  return { position, line, column: position - before.lastIndexOf("\n") };
}

/** The same, of the bytes that the parser counts. */
export function placeAtByte(bytes: Buffer, byte: number): Place {
  const text = bytes.toString("utf8");
  return placeAt(text, lengthOf(bytes.subarray(0, byte).toString("utf8")));
}

/** In characters. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** In words, as it stands before a complaint. */
export function inWords({ message, at }: Complaint): string {
  return at ? `line ${at.line}, column ${at.column}: ${message}` : message;
}
