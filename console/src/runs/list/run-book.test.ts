import { expect, test } from "vitest";
import { appendPage, applyRunChange, mergeFirstPage, type Run } from "./run-book.ts";

const run = (n: number, status = "completed"): Run =>
  ({ id: `run_${String(n).padStart(3, "0")}`, status, startedAt: null, finishedAt: null }) as Run;
const ids = ({ runs }: { readonly runs: readonly Run[] }): string =>
  runs.map(({ id }) => Number(id.slice(4))).join(" ");

const FIRST = { runs: [run(9), run(8), run(7)], next: "behind 7" };
const BOOK = appendPage(FIRST, { runs: [run(6), run(5)], next: "behind 5" });

test("new runs come before, and older pages stay", () => {
  const merged = mergeFirstPage(BOOK, { runs: [run(11), run(10), run(9)], next: "behind 9" });
  expect(ids(merged)).toBe("11 10 9 8 7 6 5");
  expect(merged.next).toBe("behind 5");
});

test("what left the first page leaves the list", () => {
  expect(ids(mergeFirstPage(BOOK, { runs: [run(9), run(7)], next: "behind 7" }))).toBe("9 7 6 5");
});

test("when more came than a page holds the list begins anew, rather than with a hole", () => {
  const page = { runs: [run(30), run(29), run(28)], next: "behind 28" };
  expect(ids(mergeFirstPage(BOOK, page))).toBe("30 29 28");
});

test("a run that did not change stays the same object", () => {
  const merged = mergeFirstPage(BOOK, { runs: [run(10), run(9), run(8)], next: "behind 8" });
  expect(merged.runs[1]).toBe(BOOK.runs[0]);
});

test("the log changes runs far down, and takes away what no longer fits", () => {
  const change = { id: "run_006", status: "failed", finishedAt: "2026-11-16T12:00:00Z" };
  expect(applyRunChange(BOOK, change, undefined).runs[3]).toMatchObject({ status: "failed" });
  expect(ids(applyRunChange(BOOK, change, "completed"))).toBe("9 8 7 5");
  expect(applyRunChange(BOOK, { id: "run_099", status: "failed" }, undefined)).toBe(BOOK);
});
