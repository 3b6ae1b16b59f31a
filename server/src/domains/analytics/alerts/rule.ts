/** Alert rules: above or below a threshold, no value, or unusual compared to previous weeks. */
import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";

export const WEEKS = 8;
const WEEKS_MIN = 4;
const SENSITIVITY_DEFAULT = 3;
/** Makes the median of distances comparable to a standard deviation. */
const SPREAD_FACTOR = 1.4826;
const SPREAD_SHARE_MIN = 0.05;

export const AlertRule = object(
  {
    kind: Type.Enum(["above", "below", "no_data", "unusual"]),
    threshold: Type.Optional(Type.Number({ description: "Threshold for `above` and `below`" })),
    sensitivity: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        description:
          "For `unusual`: the allowed deviation from the median of the same time in the previous eight weeks, as a multiple of the usual spread. Default: 3",
      }),
    ),
    checks: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: "Number of consecutive checks that must match. Default: 1",
      }),
    ),
  },
  { title: "AlertRule" },
);
export type AlertRule = Static<typeof AlertRule>;

export interface Verdict {
  readonly isBad: boolean;
  readonly reason: string;
}

/** Evaluates a number. `past` contains those of the same time in previous weeks, newest first. */
export function judgeValue(
  rule: AlertRule,
  value: number | null,
  past: readonly (number | null)[],
): Verdict {
  const { kind, threshold = 0 } = rule;
  const isNothing = value === null || value === 0;
  if (kind === "no_data") {
    return { isBad: isNothing, reason: isNothing ? "There is no data." : "There is data." };
  }
  if (value === null) return { isBad: false, reason: "The report has no value." };
  if (kind === "unusual") return judgeUnusual(rule, value, past);
  const isBad = kind === "above" ? value > threshold : value < threshold;
  const place = isBad ? kind : `not ${kind}`;
  return { isBad, reason: `${show(value)} is ${place} ${show(threshold)}.` };
}

function judgeUnusual(
  { sensitivity = SENSITIVITY_DEFAULT }: AlertRule,
  value: number,
  past: readonly (number | null)[],
): Verdict {
  const known = past.filter((one) => one !== null);
  if (known.filter((one) => one !== 0).length < WEEKS_MIN) {
    return { isBad: false, reason: `Fewer than ${WEEKS_MIN} earlier weeks have data.` };
  }
  const { low, high } = usualRange(known, sensitivity);
  const isBad = value < low || value > high;
  const range = `${show(low)} to ${show(high)}`;
  return {
    isBad,
    reason: isBad
      ? `${show(value)} is outside the usual range ${range}.`
      : `${show(value)} is within the usual range ${range}.`,
  };
}

/** The range around the median of the past that is usual. */
export function usualRange(
  past: readonly number[],
  sensitivity: number,
): { readonly low: number; readonly high: number } {
  const middle = median(past);
  const spread = SPREAD_FACTOR * median(past.map((one) => Math.abs(one - middle)));
  // If all weeks are equal, a small deviation is still normal.
  const reach = sensitivity * Math.max(spread, SPREAD_SHARE_MIN * Math.abs(middle));
  return { low: middle - reach, high: middle + reach };
}

function median(values: readonly number[]): number {
  const ordered = values.toSorted((one, other) => one - other);
  const at = (ordered.length - 1) / 2;
  return ((ordered[Math.floor(at)] ?? 0) + (ordered[Math.ceil(at)] ?? 0)) / 2;
}

function show(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString("en");
}
