import { expect, test } from "vitest";
import { guessSeparator, parseCells } from "./cells.ts";

test("the separator that is most frequent in the first line is used, and quotes can contain it", () => {
  expect(guessSeparator("a;b;c,d\n1;2;3")).toBe(";");
  expect(parseCells('a;"b;\n""c"""\r\nd', ";")).toEqual([["a", 'b;\n"c"'], ["d"]]);
});
