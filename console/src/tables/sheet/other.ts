/** Somebody else in the grid, and their colour. */
export interface Other {
  readonly name: string;
  readonly hue: number;
}

const HUES = 12;

/** The colour of a person's name, the same as that of their picture. */
export function hueOf(name: string): number {
  const sum = Array.from(name, (letter) => letter.codePointAt(0) ?? 0).reduce((a, b) => a + b, 0);
  return sum % HUES;
}
