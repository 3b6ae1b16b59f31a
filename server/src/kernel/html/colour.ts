/** Colours with the contrast defined by WCAG 2.2, and custom accent colours of pages. */
import Type from "typebox";

/** The accent colour of a customised page. */
export const Accent = Type.String({
  pattern: "^#[0-9a-fA-F]{6}$",
  description: "Colour with sufficient contrast for white text. Example: `#0b5d4d`",
});
/** The reason for rejecting a colour. */
export const UNREADABLE = "must be dark enough for white text";

const CONTRAST_MIN = 4.5;
const WHITE = "#ffffff";
/** The background of pages in dark mode. */
const DARK_GROUND = "#15171c";
const STEPS = 40;

/** True if white text is readable on the colour, and the colour on white. */
export function isReadable(colour: string): boolean {
  return contrast(colour, WHITE) >= CONTRAST_MIN;
}

/** Mixes the colour with white until it is readable in dark mode. */
export function lightenForDark(colour: string): string {
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(colour, step / STEPS);
    if (contrast(mixed, DARK_GROUND) >= CONTRAST_MIN) return mixed;
  }
  return WHITE;
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The CSS rules for a colour. It is checked again, because it is inserted into a style element. */
export function buildAccentStyle(accent: string | null | undefined): string {
  if (accent === null || accent === undefined || !COLOUR.test(accent)) return "";
  const light = lightenForDark(accent);
  const rules = (colour: string, above: string): string =>
    `:root{--accent:${colour};--on-accent:${above};--main:${colour};--on-main:${above}}`;
  return `${rules(accent, "#fff")}@media (prefers-color-scheme:dark){${rules(light, "#10171b")}}`;
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
