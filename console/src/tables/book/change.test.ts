import { expect, test } from "vitest";
import {
  applyChange,
  type Change,
  invert,
  NO_CHANGE,
  NO_HISTORY,
  record,
  renameIn,
  stepBack,
  stepForward,
} from "./change.ts";
import { RowBook } from "./row-book.ts";

function bookOf(): RowBook {
  const book = new RowBook(async () => ({ rows: [], hasMore: false }));
  book.put(0, [
    { id: "rec_1", revision: 1, title: "one" },
    { id: "rec_2", revision: 1, title: "two" },
    { id: "rec_3", revision: 1, title: "three" },
  ]);
  return book;
}

const look = (book: RowBook): unknown =>
  book.order.map((id) => [id, id && book.rows.get(id)?.values["title"]]);

test("applying a change and its inverse restores the list, and redo restores the change", () => {
  const book = bookOf();
  const row = book.rows.get("rec_2");
  if (!row) throw new Error("It was put there.");
  const change: Change = {
    label: "All at once",
    sets: [{ id: "rec_1", field: "title", before: "one", after: "ONE" }],
    created: [{ place: 0, row: { id: "new-1", revision: 0, values: { title: "new" } } }],
    deleted: [{ place: 1, row }],
  };
  const before = look(book);
  applyChange(book, change);
  const after = look(book);
  expect(after).not.toEqual(before);
  const history = record(NO_HISTORY, change);
  const [undo, undone] = stepBack(history) ?? [];
  if (!undo || !undone) throw new Error("There is a step.");
  applyChange(book, undo);
  expect(look(book)).toEqual(before);
  const [redo] = stepForward(undone) ?? [];
  if (!redo) throw new Error("There is a step.");
  applyChange(book, redo);
  expect(look(book)).toEqual(after);
});

test("later changes refer to a re-created record by its new id", () => {
  const change = {
    ...NO_CHANGE,
    label: "Edit",
    sets: [{ id: "rec_1", field: "title", before: "a", after: "b" }],
  };
  expect(renameIn(invert(change), new Map([["rec_1", "rec_9"]])).sets[0]).toMatchObject({
    id: "rec_9",
    after: "a",
  });
});
