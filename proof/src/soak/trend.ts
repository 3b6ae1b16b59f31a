/** The slope of a linear fit, per minute. */
export function perMinute(points: readonly (readonly [atMs: number, value: number])[]): number {
  const count = points.length;
  if (count < 2) return 0;
  const meanAt = points.reduce((sum, [at]) => sum + at, 0) / count;
  const mean = points.reduce((sum, [, value]) => sum + value, 0) / count;
  const covered = points.reduce((sum, [at]) => sum + (at - meanAt) ** 2, 0);
  const together = points.reduce((sum, [at, value]) => sum + (at - meanAt) * (value - mean), 0);
  return covered === 0 ? 0 : (together / covered) * 60_000;
}

/** The part of a list between two shares of its length. */
export function part<T>(items: readonly T[], from: number, to: number): readonly T[] {
  return items.slice(Math.floor(items.length * from), Math.ceil(items.length * to));
}
