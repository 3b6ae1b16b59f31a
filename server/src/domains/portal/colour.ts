/** Colours by their contrast, as WCAG 2.2 defines it; pure. */

const CONTRAST_MIN = 4.5;
const WHITE = "#ffffff";
/** The ground of the portal in the dark. */
const DARK_GROUND = "#15171c";
const STEPS = 40;

/** True of a colour on which white text can be read, and that can be read on white. */
export function isReadable(colour: string): boolean {
  return contrast(colour, WHITE) >= CONTRAST_MIN;
}

/** The colour, mixed with white as far as it takes to be read in the dark. */
export function lightenForDark(colour: string): string {
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(colour, step / STEPS);
    if (contrast(mixed, DARK_GROUND) >= CONTRAST_MIN) return mixed;
  }
  return WHITE;
}

/** From 1 for the same colour to 21 for black and white. */
export function contrast(left: string, right: string): number {
  const [light = 0, dark = 0] = [luminance(left), luminance(right)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(colour: string, white: number): string {
  const parts = channels(colour).map((value) => Math.round(value + (255 - value) * white));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
