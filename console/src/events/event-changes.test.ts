import { expect, test } from "vitest";
import { listChanges, listFields, toLongTexts } from "./event-changes.ts";

test("the changes of an event are the fields with different values", () => {
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

test("an event's details omit empty fields and values that are already shown next to it", () => {
  const data = {
    id: "inc_1",
    title: "Paper is out",
    tags: [],
    teamId: null,
    impact: 2,
    isMajor: false,
  };
  expect(listFields(data, ["inc_1", "Paper is out", null])).toEqual([
    ["impact", 2],
    ["isMajor", false],
  ]);
});
