import { expect, test } from "vitest";
import { filterOptions } from "./options.tsx";
import { nextItem } from "./menu.tsx";

const OPTIONS = ["Mail", "Webmail", "Slack"].map((label) => ({ value: label, label }));

test("matches at the beginning come before other matches", () => {
  expect(filterOptions(OPTIONS, "mail").map(({ label }) => label)).toEqual(["Mail", "Webmail"]);
  expect(filterOptions(OPTIONS, " ")).toHaveLength(3);
  expect(filterOptions(OPTIONS, "zzz")).toEqual([]);
  const people = ["İlkay Öz", "Milo"].map((label) => ({ value: label, label }));
  expect(filterOptions(people, "ilk").map(({ label }) => label)).toEqual(["İlkay Öz"]);
});

test("arrow keys wrap around in a menu, and letter keys select the next matching item", () => {
  const items = ["Copy", "Cut", "Delete"].map((label) => ({ label }));
  expect([nextItem(items, 2, "ArrowDown"), nextItem(items, 0, "ArrowUp")]).toEqual([0, 2]);
  expect([nextItem(items, 0, "c"), nextItem(items, 1, "c"), nextItem(items, 0, "x")]).toEqual([
    1,
    0,
    undefined,
  ]);
});
