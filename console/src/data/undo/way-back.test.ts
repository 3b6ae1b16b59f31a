import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { notify, takeWayBack } from "../../ui/toast.tsx";
import { forgetUndoable, noteUndoable, offerWaysBack } from "./way-back.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the toast that follows a command offers its way back, and no other does", () => {
  let undone: readonly string[] | undefined;
  let may = true;
  offerWaysBack(() =>
    may ? (targets) => (undone = targets.map((one) => one.correlationId)) : undefined,
  );
  const offered = (act: () => void): readonly string[] | undefined => {
    undone = undefined;
    act();
    notify("Said");
    takeWayBack();
    vi.advanceTimersByTime(60_000);
    return undone;
  };
  const note = (count: number): void => {
    for (let n = 1; n <= count; n += 1) noteUndoable(`cor_${n}`);
  };
  expect(offered(() => note(1))).toEqual(["cor_1"]);
  expect(offered(() => note(2))).toEqual(["cor_2", "cor_1"]);
  expect(offered(() => note(0))).toBeUndefined();
  expect(offered(() => note(21))).toBeUndefined();
  const later = (): void => {
    note(1);
    vi.advanceTimersByTime(1_000);
  };
  expect(offered(later)).toBeUndefined();
  const refused = (): void => {
    note(1);
    forgetUndoable();
  };
  expect(offered(refused)).toBeUndefined();
  may = false;
  expect(offered(() => note(1))).toBeUndefined();
  may = true;
  // A toast has the way back of its screen, and leaves none to the next one.
  let ways = 0;
  const taken = (): void => {
    note(1);
    notify("With a way of its own", () => (ways += 1));
    takeWayBack();
  };
  expect([offered(taken), ways]).toEqual([undefined, 1]);
});
