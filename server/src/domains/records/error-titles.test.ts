import { expect, test } from "vitest";
import { describeFirst } from "./error-titles.ts";

test("an error names the column by its title, and its position in a list or file", () => {
  const message = "must be a number";
  const said = [
    { path: "/price", title: "Price €", message },
    { path: "/records/2/price", title: "Price €", message },
    { path: "line 5/price", title: "Price €", message },
    { path: "/set/price", title: "Price €", message },
    { path: "/records/2", message: "is too large" },
  ].map((error) => describeFirst([error]));
  expect(said).toEqual([
    "Price € must be a number",
    "Record 3: Price € must be a number",
    "Line 5: Price € must be a number",
    "Price € must be a number",
    "/records/2 is too large",
  ]);
});
