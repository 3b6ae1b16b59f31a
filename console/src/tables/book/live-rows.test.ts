import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveRows } from "./live-rows.ts";
import { RowBook, type RowPage } from "./row-book.ts";

type StoredRecord = Readonly<Record<string, unknown>>;
const OTHERS = { isMine: false, isPlain: true, isDerived: false };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A fake server: a test decides when each page is answered, with the data from the time of the request. */
function serve(titles: readonly string[]) {
  const records = new Map<string, StoredRecord>(
    titles.map((title, n) => [`rec_${n + 1}`, { id: `rec_${n + 1}`, revision: 1, title }]),
  );
  const answers: (() => void)[] = [];
  const book = new RowBook((): Promise<RowPage> => {
    const page = { rows: [...records.values()], hasMore: false };
    return new Promise((resolve) => answers.push(() => resolve(page)));
  });
  const rows = new LiveRows(book, async (ids) =>
    ids.map((id) => records.get(id)).filter((record) => record !== undefined),
  );
  rows.open();
  const tell = (type: string, id: string, data: object = {}): void => {
    const resource = { type: "record", id, number: null, displayName: id };
    const actor = { type: "user" as const, id: "usr_bo", name: "Bo" };
    rows.follow({ type, resource, actor, data: { ...data } }, OTHERS);
  };
  return {
    book,
    rows,
    /** Answers the pending page requests, the newest first. */
    async answer(): Promise<void> {
      for (const answer of answers.splice(0).toReversed()) answer();
      await vi.runAllTimersAsync();
    },
    write(id: string, title: string): void {
      const revision = Number(records.get(id)?.["revision"] ?? 0) + 1;
      records.set(id, { id, revision, title });
      if (revision === 1) tell("record.created", id, { id, title });
      else tell("record.updated", id, { changes: ["title"], after: { title } });
    },
    delete(id: string): void {
      records.delete(id);
      tell("record.deleted", id);
    },
  };
}

const titles = (book: RowBook): readonly unknown[] =>
  book.order.map((id) => id && book.rows.get(id)?.values["title"]);

test("a change during the first page request is in the list after the response", async () => {
  const server = serve(["one", "two", "three"]);
  server.book.need(0, 1);
  server.write("rec_2", "from Bo");
  server.delete("rec_3");
  server.write("rec_4", "four");
  await server.answer();
  expect(titles(server.book)).toEqual(["one", "from Bo", "four"]);
});

test("a page older than a change does not overwrite the change", async () => {
  const server = serve(["one", "two", "three"]);
  server.book.need(0, 1);
  await server.answer();
  server.book.forget();
  server.book.need(0, 1);
  server.write("rec_1", "from Bo");
  server.delete("rec_2");
  server.write("rec_4", "four");
  // The change is loaded before the older page arrives.
  await vi.runAllTimersAsync();
  expect(titles(server.book)).toEqual(["from Bo", "three"]);
  await server.answer();
  expect(titles(server.book)).toEqual(["from Bo", "three", "four"]);
});

test("the newer of two responses wins, whatever their order", async () => {
  const server = serve(["one"]);
  server.book.need(0, 1);
  await server.answer();
  server.book.keep({ id: "rec_1", revision: 3, title: "third" });
  server.book.keep({ id: "rec_1", revision: 2, title: "second" });
  expect(titles(server.book)).toEqual(["third"]);
});

test("pending reloads survive when a listener is removed and added again", async () => {
  const server = serve(["one"]);
  server.book.need(0, 1);
  await server.answer();
  server.write("rec_1", "from Bo");
  server.rows.close();
  server.rows.open();
  await vi.runAllTimersAsync();
  expect(titles(server.book)).toEqual(["from Bo"]);
});

test("too many records for a request by ids are reloaded as the visible page", async () => {
  const server = serve(Array.from({ length: 300 }, (_, n) => `${n}`));
  server.book.need(0, 1);
  await server.answer();
  for (let n = 1; n <= 300; n += 1) server.write(`rec_${n}`, "from Bo");
  await vi.runAllTimersAsync();
  server.book.need(0, 300);
  await server.answer();
  expect(new Set(titles(server.book))).toEqual(new Set(["from Bo"]));
});

test("records missing from a response are requested again", async () => {
  let asked = 0;
  const book = new RowBook(async () => {
    asked += 1;
    return { rows: [], hasMore: false, isLate: asked === 1 };
  });
  for (let n = 0; n < 3; n += 1) {
    book.need(0, 1);
    await vi.runAllTimersAsync();
  }
  expect(asked).toBe(2);
});
