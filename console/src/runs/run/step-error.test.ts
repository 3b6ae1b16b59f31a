import { expect, test } from "vitest";
import { markCulprit, markField, pointerWords, readPointer } from "./step-error.ts";

test("what the message quotes is marked; without a quote, all of it", () => {
  expect(markCulprit("$round(order.totl, 2)", 'There is no "order.totl" here.')).toEqual({
    before: "$round(",
    marked: "order.totl",
    after: ", 2)",
  });
  expect(markCulprit("1 +", "The expression ends too early.").marked).toBe("1 +");
});

test("an expression is marked within the text around it", () => {
  const field = "Dear {{ customer.nam }}, hello";
  expect(markField(field, "customer.nam", "It is empty.")).toEqual({
    before: "Dear {{ ",
    marked: "customer.nam",
    after: " }}, hello",
  });
});

test("a pointer leads to its field", () => {
  const config = { values: { "a/b": ["x", "y"] } };
  expect(readPointer(config, "/values/a~1b/1")).toBe("y");
  expect(readPointer(config, "/values/none/1")).toBeUndefined();
  expect(pointerWords("/values/total")).toBe("values › total");
});
