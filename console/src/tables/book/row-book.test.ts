import { expect, test } from "vitest";
import { RowBook, type RowPage } from "./row-book.ts";

const TOTAL = 1_000;
const record = (n: number) => ({ id: `rec_${n}`, revision: 1, title: `Record ${n}` });

function bookOf() {
  const asked: number[] = [];
  const book = new RowBook(async (offset, limit): Promise<RowPage> => {
    asked.push(offset);
    const end = Math.min(TOTAL, offset + limit);
    const rows = Array.from({ length: end - offset }, (_, n) => record(offset + n));
    return { rows, hasMore: end < TOTAL };
  });
  return { book, asked };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("only visible pages are loaded, once; all other places are gaps", async () => {
  const { book, asked } = bookOf();
  book.need(0, 40);
  await settle();
  expect(book.count).toBe(101);
  book.setCount(TOTAL);
  book.need(540, 610);
  book.need(550, 620);
  await settle();
  expect(asked).toEqual([0, 500, 600]);
  expect(book.rowAt(555)?.values["title"]).toBe("Record 555");
  expect(book.rowAt(300)).toBeUndefined();
  book.need(950, 1_000);
  await settle();
  expect(book.count).toBe(TOTAL);
});

test("requests for pages that were scrolled past are aborted", async () => {
  const { book, asked } = bookOf();
  book.need(0, 10);
  book.need(900, 910);
  await settle();
  expect(asked).toEqual([0, 900]);
  expect(book.rowAt(0)).toBeUndefined();
  expect(book.rowAt(900)?.id).toBe("rec_900");
});

test("references are stored as ids, with names next to them; a created record gets its id", () => {
  const { book } = bookOf();
  book.put(0, [{ ...record(1), customer: { id: "rec_c", createdAt: "x", name: "Ada" } }]);
  expect(book.rowAt(0)?.values["customer"]).toBe("rec_c");
  expect(book.names.get("rec_c")).toBe("Ada");
  book.insert(1, { id: "new-1", revision: 0, values: { title: "New" } });
  book.rename("new-1", record(2));
  expect(book.order).toEqual(["rec_1", "rec_2"]);
  expect(book.remove("rec_1")).toBe(0);
  expect(book.order).toEqual(["rec_2"]);
});
