import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { notify, takeWayBack } from "../../ui/toast.tsx";
import { beginCommand, forgetUndoable, offerWaysBack } from "./way-back.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("only the toast after a command offers undo", () => {
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
    for (let n = 1; n <= count; n += 1) beginCommand()(`cor_${n}`);
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
  // A toast with its own undo action also consumes the recorded commands.
  let ways = 0;
  const taken = (): void => {
    note(1);
    notify("With a way of its own", () => (ways += 1));
    takeWayBack();
  };
  expect([offered(taken), ways]).toEqual([undefined, 1]);
});

test("undoes all commands of a user action together or not at all, regardless of duration", () => {
  let undone: readonly string[] = [];
  offerWaysBack(() => (targets) => (undone = targets.map((one) => one.correlationId)));
  const offered = (): readonly string[] => {
    undone = [];
    notify("Said");
    takeWayBack();
    vi.advanceTimersByTime(60_000);
    return undone;
  };
  const wait = (): void => void vi.advanceTimersByTime(1_000);
  // Sequential commands, as in a loop that awaits each response.
  const follow = (...ids: readonly (string | undefined)[]): void => {
    for (const id of ids) {
      const end = beginCommand();
      wait();
      end(id);
    }
  };
  follow("cor_1", "cor_2", "cor_3");
  expect(offered()).toEqual(["cor_3", "cor_2", "cor_1"]);
  // Parallel commands with responses far apart.
  const ends = ["cor_1", "cor_2"].map((id) => [beginCommand(), id] as const);
  for (const [end, id] of ends) {
    wait();
    end(id);
  }
  expect(offered()).toEqual(["cor_2", "cor_1"]);
  follow("cor_1", undefined, "cor_3");
  expect(offered()).toEqual([]);
  // Another user action, started before the response of the first.
  const endFirst = beginCommand();
  wait();
  const endSecond = beginCommand();
  wait();
  endFirst("cor_1");
  wait();
  endSecond("cor_2");
  expect(offered()).toEqual(["cor_2"]);
});
