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
/** Returns an event id at this position of the log. */
const at = (place: number): string => `evt_${String(place).padStart(3, "0")}`;

const run = (n: number, status = "completed", finishedAt: string | null = null): Run =>
  ({ id: `run_${String(n).padStart(3, "0")}`, status, startedAt: null, finishedAt }) as Run;
const page = (runs: readonly Run[], next?: string, place = 0): RunPage => ({
  runs,
  next,
  position: at(place),
});
/** Returns an event at this position of the log, at the second with the same number. */
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

test("new runs are added at the top, and older pages are kept", () => {
  const merged = merge(BOOK, page([run(11), run(10), run(9)], "behind 9"));
  expect(ids(merged)).toBe("11 10 9 8 7 6 5");
  expect(merged.next).toBe("behind 5");
});

test("runs removed from the first page are removed from the list", () => {
  expect(ids(merge(BOOK, page([run(9), run(7)], "behind 7")))).toBe("9 7 6 5");
});

test("if more new runs exist than fit on a page, the list starts again instead of having a gap", () => {
  expect(ids(merge(BOOK, page([run(30), run(29), run(28)], "behind 28")))).toBe("30 29 28");
});

test("an unchanged run stays the same object, and so does an unchanged book", () => {
  const merged = merge(BOOK, page([run(10), run(9), run(8)], "behind 8"));
  expect(merged.runs[1]).toBe(BOOK.runs[0]);
  const changes = new ToldRuns();
  changes.note(told(1, 99, "failed"));
  expect(showRuns(BOOK, changes, undefined)).toBe(BOOK);
});

test("events update runs on older pages, and remove those that no longer match", () => {
  const changes = new ToldRuns();
  changes.note(told(1, 6, "failed", timeOf(1)));
  expect(showRuns(BOOK, changes, undefined).runs[3]).toMatchObject({ status: "failed" });
  expect(ids(showRuns(BOOK, changes, "completed"))).toBe("9 8 7 5");
});

test("a response older than an event does not revert the event", () => {
  const changes = new ToldRuns();
  const before = merge(undefined, page([run(2, "running"), run(1, "running")], undefined, 4));
  changes.note(told(6, 2, "failed", timeOf(6)));
  const shown = showRuns(before, changes, undefined);
  expect(statuses(shown)).toBe("failed running");
  // Requested before the event, and answered after it.
  const late = merge(shown, page([run(2, "running"), run(1, "running")], undefined, 5), changes);
  expect(statuses(late)).toBe("failed running");
  // Read after the event: the run was retried.
  const later = merge(late, page([run(2, "running"), run(1, "running")], undefined, 7), changes);
  expect(statuses(later)).toBe("running running");
});

test("an event that a newer response already includes does not revert it, and removes no row", () => {
  const done = page([run(2, "completed", timeOf(9)), run(1)], undefined, 9);
  const changes = new ToldRuns();
  const book = merge(undefined, done, changes, "completed");
  changes.note(told(8, 2, "running"));
  expect(ids(showRuns(book, changes, "completed"))).toBe("2 1");
  // The position of a response is a lower bound: it may already include later events.
  const vague = new ToldRuns();
  const early = merge(undefined, { ...done, position: at(7) }, vague, "completed");
  vague.note(told(8, 2, "running"));
  expect(ids(showRuns(early, vague, "completed"))).toBe("2 1");
});

test("a row that an event removed returns with the next event, even without a response in between", () => {
  const changes = new ToldRuns();
  const book = merge(undefined, page([run(2, "failed"), run(1, "failed")]), changes, "failed");
  changes.note(told(3, 2, "running"));
  const without = showRuns(book, changes, "failed");
  expect(ids(without)).toBe("1");
  expect(changes.note(told(5, 2, "failed", timeOf(5)))).toBe(true);
  expect(ids(showRuns(without, changes, "failed"))).toBe("2 1");
  // Delivered twice, or in another order.
  expect(changes.note(told(4, 2, "running"))).toBe(false);
});

test("events are applied to a page that was requested before them", () => {
  const changes = new ToldRuns();
  const book = merge(undefined, page([run(9), run(8)], "behind 8", 4), changes);
  changes.note(told(6, 5, "failed", timeOf(6)));
  const more = appendPage(book, page([run(6), run(5, "running")], undefined, 5));
  expect(statuses(showRuns(more, changes, undefined))).toBe("completed completed completed failed");
});
