import { expect, test } from "vitest";
import { isMoment, neighboursOf } from "./moment.ts";

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((n) => `2026-11-17T10:00:00.00${n}Z`) as [
  string,
  string,
  string,
];

test("from any time, users can step to the previous and next change", () => {
  const moments = [THIRD, FIRST, SECOND];
  expect(neighboursOf(SECOND, moments)).toEqual({ before: FIRST, after: THIRD });
  expect(neighboursOf(FIRST, moments)).toEqual({ before: undefined, after: SECOND });
  expect(neighboursOf("2027-01-01T00:00:00.000Z", moments)).toEqual({
    before: THIRD,
    after: undefined,
  });
  expect(neighboursOf(FIRST, [])).toEqual({ before: undefined, after: undefined });
});

test("an invalid time shows the present", () => {
  expect(
    [SECOND, "2026-11-17T10:00", "yesterday", "2026-13-40T10:00", "", undefined].map(isMoment),
  ).toEqual([true, true, false, false, false, false]);
});
