import { expect, test } from "vitest";
import { listChanges, toLongTexts } from "./event-changes.ts";

test("the changes of an event are the fields that differ", () => {
  const data = {
    before: { state: "new", title: "A", updatedAt: "1" },
    after: { state: "closed", title: "A", updatedAt: "2" },
  };
  expect(listChanges(data)).toEqual([{ name: "state", before: "new", after: "closed" }]);
  expect(listChanges({ n: 1 })).toBeUndefined();
});

test("a long text is compared line by line, a short value is not", () => {
  expect(toLongTexts({ name: "n", before: 1, after: 2 })).toBeUndefined();
  expect(toLongTexts({ name: "n", before: null, after: "a\nb" })).toEqual(["", "a\nb"]);
});
