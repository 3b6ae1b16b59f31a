/** Another user in the grid, with a colour. */
export interface Other {
  readonly name: string;
  readonly hue: number;
}

const HUES = 12;

/** Returns the colour for a name, the same as in the avatar. */
export function hueOf(name: string): number {
  const sum = Array.from(name, (letter) => letter.codePointAt(0) ?? 0).reduce((a, b) => a + b, 0);
  return sum % HUES;
}
