import { expect, test } from "vitest";
import { momentAt, placeSpan, spanOf, touching } from "./strip-place.ts";

const HOUR_MS = 3_600_000;
const at = (hours: number): string => new Date(hours * HOUR_MS).toISOString();
const frame = { fromMs: 0, untilMs: 100 * HOUR_MS };

test("a period is clipped to the timeline, and has no position outside it", () => {
  expect(placeSpan({ from: at(25), until: at(75) }, frame)).toEqual({ left: 25, width: 50 });
  expect(placeSpan({ from: at(-10), until: at(5) }, frame)).toEqual({ left: 0, width: 5 });
  expect(placeSpan({ from: at(100), until: at(120) }, frame)).toBeUndefined();
});

test("dragging selects full hours in both directions", () => {
  const [one, other] = [0.304, 0.1].map((share) => momentAt(share, frame, HOUR_MS));
  expect(spanOf(one ?? 0, other ?? 0, HOUR_MS)).toEqual({ from: at(10), until: at(30) });
  expect(spanOf(0, 0, HOUR_MS)).toEqual({ from: at(0), until: at(1) });
  expect(momentAt(2, frame, HOUR_MS)).toBe(frame.untilMs);
});

test("adjacent periods do not overlap", () => {
  const spans = [
    { from: at(0), until: at(10) },
    { from: at(10), until: at(20) },
  ];
  expect(touching(spans, { from: at(10), until: at(11) })).toEqual([spans[1]]);
});
