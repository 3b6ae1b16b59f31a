/** The cost difference between two sides, and its precision. */
import { median } from "../statistics.ts";

/** Ratios of after to before per turn, grouped by start of the product. */
export type Starts = readonly (readonly number[])[];

/** In percent of the cost before. */
export interface Difference {
  readonly percent: number;
  /** Half of the 95 % interval. */
  readonly margin: number;
  readonly turns: number;
  readonly dropped: number;
}

export type Verdict = "same" | "more" | "less" | "unclear";

/** Smaller differences are irrelevant. */
export const THRESHOLD_PERCENT = 3;
/** Turns further from the median of their start than this number of standard deviations are dropped. */
const OUTLIER = 3;
/** Converts the median absolute deviation of a normal distribution to its standard deviation. */
const DEVIATION_BY_MEDIAN = 1.4826;
/** Two-sided 95 % quantiles of Student's t by degrees of freedom. */
const T95 = [Infinity, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
const T95_MANY = 2.02;
const TURNS_FEW = 30;
const T95_FEW = 2.2;

/**
 * The mean of the logarithms of the ratios without outliers. Its standard error is the larger of the errors of turns
 * and of starts: two starts of the same program can differ by JIT compilation.
 */
export function differenceOf(starts: Starts): Difference {
  const all = starts.filter(({ length }) => length > 0).map((ratios) => ratios.map(Math.log));
  const kept = all.map(dropOutliers);
  const turns = kept.flat();
  const centre = mean(turns);
  const means = kept.map(mean);
  const byTurns = deviation(
    kept.flatMap((block, at) => block.map((one) => one - (means[at] ?? 0))),
  );
  const error = Math.max(
    byTurns / Math.sqrt(turns.length),
    means.length > 2 ? deviation(means) / Math.sqrt(means.length) : 0,
  );
  return {
    percent: (Math.exp(centre) - 1) * 100,
    margin: (Math.exp(error * t95(turns.length - means.length)) - 1) * 100,
    turns: turns.length,
    dropped: all.flat().length - turns.length,
  };
}

/** The verdict: equal, or the more expensive side. Unclear if the interval is too wide for either. */
export function judge({ percent, margin }: Difference): Verdict {
  if (Math.abs(percent) > margin) return percent > 0 ? "more" : "less";
  return margin <= THRESHOLD_PERCENT ? "same" : "unclear";
}

function dropOutliers(values: readonly number[]): readonly number[] {
  const centre = median(values);
  const spread = DEVIATION_BY_MEDIAN * median(values.map((one) => Math.abs(one - centre)));
  return spread === 0 ? values : values.filter((one) => Math.abs(one - centre) <= OUTLIER * spread);
}

function t95(degrees: number): number {
  return T95[Math.max(0, degrees)] ?? (degrees < TURNS_FEW ? T95_FEW : T95_MANY);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, one) => sum + (one - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}
