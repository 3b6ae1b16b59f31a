/** The maximum number of series, limited by the legend. */
export const SERIES_MAX = 12;

interface Summed {
  readonly marks: readonly { readonly value: number | null }[];
}

/** The series with the largest sums, in their original order. */
export function largestSeries<S extends Summed>(series: readonly S[]): readonly S[] {
  if (series.length <= SERIES_MAX) return series;
  const sumOf = ({ marks }: S): number =>
    marks.reduce((sum, { value }) => sum + Math.abs(value ?? 0), 0);
  const bySum = series
    .map((one) => ({ one, sum: sumOf(one) }))
    .toSorted((left, right) => right.sum - left.sum);
  const drawn = new Set(bySum.slice(0, SERIES_MAX).map(({ one }) => one));
  return series.filter((one) => drawn.has(one));
}
