import { expect, test } from "vitest";
import type { Page } from "./response.ts";
import { Cursors, pageOfItems } from "./pagination.ts";

const cursors = new Cursors(Buffer.alloc(32));
const page = (items: readonly string[], limit: number, after?: string | null): Page<string> =>
  pageOfItems(
    { cursors },
    "letters",
    { limit, after: after ?? undefined },
    {
      items,
      keyOf: (item) => item,
    },
  );

test("a short list returns each item once, page by page", () => {
  const items = ["a", "b", "c", "d", "e"];
  for (const limit of [1, 2, 3, 5, 6]) {
    const seen: string[] = [];
    let next: string | null | undefined;
    do {
      const { data, nextCursor } = page(items, limit, next);
      expect(data.length).toBeLessThanOrEqual(limit);
      seen.push(...data);
      next = nextCursor;
    } while (next !== null);
    expect(seen).toEqual(items);
  }
  expect(page([], 5)).toEqual({ data: [], nextCursor: null, limit: 5 });
});

test("a page continues after the last one despite added and deleted items", () => {
  const { nextCursor } = page(["a", "b", "c", "d"], 2);
  expect(page(["0", "a", "b", "c", "d"], 2, nextCursor).data).toEqual(["c", "d"]);
  expect(page(["a", "c", "d"], 2, nextCursor).data).toEqual(["c", "d"]);
  expect(page([], 2, nextCursor).data).toEqual([]);
  expect(() => page(["a"], 2, "forged.cursor")).toThrow("is not a valid cursor for this list");
});
