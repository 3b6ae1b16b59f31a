import { expect, test } from "vitest";
import { readAddresses } from "./addresses.ts";

test("addresses are read as they were pasted, each once, and what is none is told", () => {
  expect(
    readAddresses("Ada <Ada@example.com>, grace@example.com\nada@example.com; nobody, a@b c@d"),
  ).toEqual({
    good: ["ada@example.com", "grace@example.com", "a@b", "c@d"],
    bad: ["nobody"],
  });
  expect(readAddresses("  \n ")).toEqual({ good: [], bad: [] });
});
