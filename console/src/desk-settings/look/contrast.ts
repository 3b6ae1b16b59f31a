/** Computes the contrast of white text on a colour, as defined by WCAG. */
export function contrastWithWhite(hex: string): number {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  if (!parts) return 0;
  const [red = 0, green = 0, blue = 0] = parts.slice(1).map((part) => toLinear(parseInt(part, 16)));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05);
}

function toLinear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** The minimum contrast of WCAG level AA. */
export const CONTRAST_MIN = 4.5;
