import { expect, test } from "vitest";
import { membersOf, pathBefore, placeOfError, readNames, resolvePath } from "./script-scope.ts";

const INPUT = { order: { lines: [{ sku: "a", price: 5 }], note: "fast" } };
const offered = (source: string): string[] => {
  const names = pathBefore(source);
  if (!names) return [];
  return [...membersOf(resolvePath(source, names.slice(0, -1), INPUT)).keys()];
};

test("names are resolved from the input, the context and variables derived from them", () => {
  expect(offered("return input.order.")).toEqual(["lines", "note"]);
  expect(offered("input.order.lines[0].")).toEqual(["sku", "price"]);
  expect(offered("input?.order?.note.").slice(0, 2)).toEqual(["length", "includes"]);
  expect(offered("await context.tables.")).toEqual(["get", "list", "create", "update", "delete"]);
  expect(offered("const answer = await context.http.request({ url });\nanswer.")).toEqual([
    "status",
    "headers",
    "body",
  ]);
  expect(offered("const { lines: all } = input.order;\nfor (const one of all) { one.")).toEqual([
    "sku",
    "price",
  ]);
  expect(offered("input.order.lines.map((line) => line.")).toEqual(["sku", "price"]);
  const found = "const [first] = await context.tables.list('orders');\nfirst.";
  expect(offered(found)).toEqual(["id", "createdAt", "updatedAt", "createdBy"]);
  expect([...readNames(found, INPUT).keys()]).toEqual(["input", "context", "first"]);
});

test("no completion within strings, comments and unknown values", () => {
  expect(pathBefore('context.log.info("input.')).toBeUndefined();
  expect(pathBefore("// input.")).toBeUndefined();
  expect(pathBefore("find(input).")).toBeUndefined();
  expect(offered("unknown.")).toEqual([]);
});

test("a server error is marked from its column to the end of its line", () => {
  const source = "const a = 1;\nconst b = ;\nreturn a;";
  const place = placeOfError(source, "is no script: Unexpected token ';' (line 2, column 11)");
  expect(source.slice(place?.from, place?.to)).toBe(";");
  expect(placeOfError(source, "is missing")).toBeUndefined();
});
