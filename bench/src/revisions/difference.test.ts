import { expect, test } from "vitest";
import { differenceOf, judge, type Starts } from "./difference.ts";

/** Ratios around a centre with reproducible noise and occasional outliers. */
function ratios(centre: number, { noise, seed }: { noise: number; seed: number }): Starts {
  const random = randomFrom(seed);
  const one = (): number => {
    const normal = Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, -6);
    const burst = random() < 0.05 ? 1.8 : 1;
    return centre * Math.exp(normal * noise) * burst;
  };
  return Array.from({ length: 3 }, () => Array.from({ length: 14 }, one));
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("detects a difference of 3 % if single turns vary by 4 %", () => {
  const seeds = Array.from({ length: 200 }, (_, at) => at * 7_919 + 1);
  const verdicts = (centre: number): string[] =>
    seeds.map((seed) => judge(differenceOf(ratios(centre, { noise: 0.04, seed }))));
  const share = (of: string[], verdict: string): number =>
    of.filter((one) => one === verdict).length / of.length;
  expect(share(verdicts(1), "same")).toBeGreaterThan(0.9);
  expect(share(verdicts(1.03), "more")).toBeGreaterThan(0.95);
  expect(share(verdicts(1 / 1.03), "less")).toBeGreaterThan(0.95);
});

test("the interval contains the true difference in about 19 of 20 comparisons", () => {
  const hits = Array.from({ length: 400 }, (_, at) => {
    const { percent, margin } = differenceOf(ratios(1.05, { noise: 0.1, seed: at * 104_729 + 3 }));
    return Math.abs(percent - 5) <= margin;
  }).filter(Boolean).length;
  expect(hits / 400).toBeGreaterThan(0.92);
});

test("drops and counts outlier turns", () => {
  const calm = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99];
  const { percent, turns, dropped } = differenceOf([[...calm, 2.5], calm]);
  expect({ turns, dropped }).toEqual({ turns: 16, dropped: 1 });
  expect(Math.abs(percent)).toBeLessThan(0.1);
});

test("differences between starts widen the interval", () => {
  const around = (centre: number): number[] =>
    [-0.01, 0.01, -0.005, 0.005, 0, 0.008].map((part) => centre * (1 + part));
  const alike = differenceOf([around(1.02), around(1.02), around(1.02)]);
  const unlike = differenceOf([around(0.96), around(1.02), around(1.08)]);
  expect(judge(alike)).toBe("more");
  expect(unlike.margin).toBeGreaterThan(5 * alike.margin);
  expect(judge(unlike)).toBe("unclear");
});

test("a wide interval around zero is unclear and not equal", () => {
  expect(judge({ percent: 0.5, margin: 3.5, turns: 9, dropped: 0 })).toBe("unclear");
  expect(judge({ percent: 0.5, margin: 2, turns: 9, dropped: 0 })).toBe("same");
  expect(judge({ percent: -2.5, margin: 2, turns: 9, dropped: 0 })).toBe("less");
});
