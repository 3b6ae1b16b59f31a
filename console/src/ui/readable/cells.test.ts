import { expect, test } from "vitest";
import { guessSeparator, parseCells } from "./cells.ts";

test("cells are told apart by the separator that the first line has most of, quotes hold it", () => {
  expect(guessSeparator("a;b;c,d\n1;2;3")).toBe(";");
  expect(parseCells('a;"b;\n""c"""\r\nd', ";")).toEqual([["a", 'b;\n"c"'], ["d"]]);
});
