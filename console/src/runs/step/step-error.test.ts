import { expect, test } from "vitest";
import {
  listSeenValues,
  markCulprit,
  markField,
  plainMessage,
  pointerWords,
  readPointer,
} from "./step-error.ts";

test("the part that the message quotes is marked, otherwise the complete text", () => {
  expect(markCulprit("$round(order.totl, 2)", 'There is no "order.totl" here.')).toEqual({
    before: "$round(",
    marked: "order.totl",
    after: ", 2)",
  });
  expect(markCulprit("1 +", "The expression ends too early.").marked).toBe("1 +");
});

test("an expression is marked within the surrounding text", () => {
  const field = "Dear {{ customer.nam }}, hello";
  expect(markField(field, "customer.nam", "It is empty.")).toEqual({
    before: "Dear {{ ",
    marked: "customer.nam",
    after: " }}, hello",
  });
});

test("a JSON pointer resolves to its field", () => {
  const config = { values: { "a/b": ["x", "y"] } };
  expect(readPointer(config, "/values/a~1b/1")).toBe("y");
  expect(readPointer(config, "/values/none/1")).toBeUndefined();
  expect(pointerWords("/values/total")).toBe("values › total");
});

test("an expression shows its values: from the same item, from outer steps and from the trigger", () => {
  const outputs = new Map([
    ["read", { output: { rate: 2 } }],
    ["each[0].price", { output: 10 }],
    ["each[1].price", { output: 20 }],
  ]);
  const expression =
    "steps.price.output * steps.read.output.rate + trigger.input.more & steps.x.output";
  expect(listSeenValues(expression, "each[1].sum", { trigger: { input: {} }, outputs })).toEqual([
    { path: "steps.price.output", value: 20 },
    { path: "steps.read.output.rate", value: 2 },
    { path: "trigger.input.more", value: undefined },
  ]);
});

test("a message does not repeat the name of the field that is shown next to it", () => {
  expect(plainMessage("/values/total: It is no number.")).toBe("It is no number.");
  expect(plainMessage("It is no number.")).toBe("It is no number.");
});
