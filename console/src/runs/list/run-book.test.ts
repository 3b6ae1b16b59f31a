import { expect, test } from "vitest";
import {
  appendPage,
  mergeFirstPage,
  type Run,
  type RunBook,
  type RunPage,
  showRuns,
  ToldRuns,
} from "./run-book.ts";

const timeOf = (second: number): string => new Date(1_000 * second).toISOString();
/** An id of an event, at this place of the log. */
const at = (place: number): string => `evt_${String(place).padStart(3, "0")}`;

const run = (n: number, status = "completed", finishedAt: string | null = null): Run =>
  ({ id: `run_${String(n).padStart(3, "0")}`, status, startedAt: null, finishedAt }) as Run;
const page = (runs: readonly Run[], next?: string, place = 0): RunPage => ({
  runs,
  next,
  position: at(place),
});
/** What the log says at this place of it, in the second of the same number. */
const told = (place: number, n: number, status: string, finishedAt?: string) => ({
  id: run(n).id,
  status,
  event: at(place),
  at: timeOf(place),
  ...(finishedAt !== undefined && { finishedAt }),
});
const ids = ({ runs }: RunBook): string => runs.map(({ id }) => Number(id.slice(4))).join(" ");
const statuses = ({ runs }: RunBook): string => runs.map(({ status }) => status).join(" ");

const NOTHING = new ToldRuns();
const merge = (book: RunBook | undefined, first: RunPage, changes = NOTHING, wanted?: string) =>
  showRuns(mergeFirstPage(book, first), changes, wanted);
const FIRST = merge(undefined, page([run(9), run(8), run(7)], "behind 7"));
const BOOK = showRuns(
  appendPage(FIRST, page([run(6), run(5)], "behind 5")),
  new ToldRuns(),
  undefined,
);

test("new runs come before, and older pages stay", () => {
  const merged = merge(BOOK, page([run(11), run(10), run(9)], "behind 9"));
  expect(ids(merged)).toBe("11 10 9 8 7 6 5");
  expect(merged.next).toBe("behind 5");
});

test("what left the first page leaves the list", () => {
  expect(ids(merge(BOOK, page([run(9), run(7)], "behind 7")))).toBe("9 7 6 5");
});

test("when more came than a page holds the list begins anew, rather than with a hole", () => {
  expect(ids(merge(BOOK, page([run(30), run(29), run(28)], "behind 28")))).toBe("30 29 28");
});

test("a run that did not change stays the same object, and so does a book", () => {
  const merged = merge(BOOK, page([run(10), run(9), run(8)], "behind 8"));
  expect(merged.runs[1]).toBe(BOOK.runs[0]);
  const changes = new ToldRuns();
  changes.note(told(1, 99, "failed"));
  expect(showRuns(BOOK, changes, undefined)).toBe(BOOK);
});

test("the log changes runs far down, and takes away what no longer fits", () => {
  const changes = new ToldRuns();
  changes.note(told(1, 6, "failed", timeOf(1)));
  expect(showRuns(BOOK, changes, undefined).runs[3]).toMatchObject({ status: "failed" });
  expect(ids(showRuns(BOOK, changes, "completed"))).toBe("9 8 7 5");
});

test("an answer that was read before an event does not take back what that said", () => {
  const changes = new ToldRuns();
  const before = merge(undefined, page([run(2, "running"), run(1, "running")], undefined, 4));
  changes.note(told(6, 2, "failed", timeOf(6)));
  const shown = showRuns(before, changes, undefined);
  expect(statuses(shown)).toBe("failed running");
  // Asked for before the event, and answered after it.
  const late = merge(shown, page([run(2, "running"), run(1, "running")], undefined, 5), changes);
  expect(statuses(late)).toBe("failed running");
  // Read after it: somebody has retried the run.
  const later = merge(late, page([run(2, "running"), run(1, "running")], undefined, 7), changes);
  expect(statuses(later)).toBe("running running");
});

test("an event that is told after an answer that knows it takes nothing back, and no row away", () => {
  const done = page([run(2, "completed", timeOf(9)), run(1)], undefined, 9);
  const changes = new ToldRuns();
  const book = merge(undefined, done, changes, "completed");
  changes.note(told(8, 2, "running"));
  expect(ids(showRuns(book, changes, "completed"))).toBe("2 1");
  // The position of an answer is that of the log as its process has heard of it: it may know more than that.
  const vague = new ToldRuns();
  const early = merge(undefined, { ...done, position: at(7) }, vague, "completed");
  vague.note(told(8, 2, "running"));
  expect(ids(showRuns(early, vague, "completed"))).toBe("2 1");
});

test("a row that an event took away is back with the next one, though no answer came between", () => {
  const changes = new ToldRuns();
  const book = merge(undefined, page([run(2, "failed"), run(1, "failed")]), changes, "failed");
  changes.note(told(3, 2, "running"));
  const without = showRuns(book, changes, "failed");
  expect(ids(without)).toBe("1");
  expect(changes.note(told(5, 2, "failed", timeOf(5)))).toBe(true);
  expect(ids(showRuns(without, changes, "failed"))).toBe("2 1");
  // Told twice, or in another order.
  expect(changes.note(told(4, 2, "running"))).toBe(false);
});

test("a page that was asked for before an event is shown as the event says", () => {
  const changes = new ToldRuns();
  const book = merge(undefined, page([run(9), run(8)], "behind 8", 4), changes);
  changes.note(told(6, 5, "failed", timeOf(6)));
  const more = appendPage(book, page([run(6), run(5, "running")], undefined, 5));
  expect(statuses(showRuns(more, changes, undefined))).toBe("completed completed completed failed");
});
