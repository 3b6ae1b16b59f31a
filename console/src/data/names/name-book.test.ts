import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NameBook } from "./name-book.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("names requested together are one request, each id is requested once, and unknown ids stay unknown", async () => {
  const asked: string[][] = [];
  const book = new NameBook(async (ids) => {
    asked.push([...ids]);
    return new Map(ids.filter((id) => id !== "gone").map((id) => [id, `Name of ${id}`]));
  });
  const drawn = vi.fn<() => void>();
  book.subscribe(drawn);
  expect(["a", "b", "gone", "a"].map((id) => book.nameOf(id))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  await vi.runAllTimersAsync();
  expect(asked).toEqual([["a", "b", "gone"]]);
  expect(drawn).toHaveBeenCalledOnce();
  expect(["a", "gone"].map((id) => book.nameOf(id))).toEqual(["Name of a", undefined]);
  await vi.runAllTimersAsync();
  expect(asked).toHaveLength(1);
  book.forget();
  expect(book.nameOf("a")).toBe("Name of a");
  await vi.runAllTimersAsync();
  expect(asked[1]).toEqual(["a"]);
});

test("a request contains at most one hundred ids, and a failed one is retried later", async () => {
  let isDown = true;
  const sizes: number[] = [];
  const book = new NameBook(async (ids) => {
    sizes.push(ids.length);
    if (isDown) throw new Error("down");
    return new Map(ids.map((id) => [id, id]));
  });
  const ids = Array.from({ length: 150 }, (_, n) => `usr_${n}`);
  for (const id of ids) book.nameOf(id);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes).toEqual([100, 50]);
  isDown = false;
  for (const id of ids) book.nameOf(id);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(10_000);
  for (const id of ids) book.nameOf(id);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(book.nameOf("usr_149")).toBe("usr_149");
});
