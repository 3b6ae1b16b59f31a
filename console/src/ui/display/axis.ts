/** Round marks of an axis from nothing to a little above the largest value. */
export function toTicks(max: number, wanted = 4): readonly number[] {
  if (max <= 0) return [0, 1];
  const rough = max / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10) * power);
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}

/** Round marks from the smallest value, where it is below nothing, to a little above the largest. */
export function toSpanTicks(min: number, max: number): readonly number[] {
  if (min >= 0) return toTicks(max);
  const [, step = 1] = toTicks(Math.max(max, -min));
  const from = Math.floor(min / step);
  const to = Math.max(0, Math.ceil(max / step));
  return Array.from({ length: to - from + 1 }, (_, n) => (from + n) * step);
}

/** The places that have a label, so that labels do not touch each other. */
export function toLabelled(count: number, widthPx: number, labelPx = 64): readonly number[] {
  const every = Math.max(1, Math.ceil((count * labelPx) / Math.max(1, widthPx)));
  return Array.from({ length: count }, (_, n) => n).filter((n) => n % every === 0);
}
