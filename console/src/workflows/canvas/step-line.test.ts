import { expect, test } from "vitest";
import { describeStep } from "./step-line.ts";

test("a card describes what its step does, or shows the step type if there is no description", () => {
  const say = (type: string, config: object = {}): string =>
    describeStep({ id: "x", type, config: { ...config } });
  expect(say("condition", { expression: "steps.a.output\n > 5" })).toBe("steps.a.output > 5");
  expect(say("http", { method: "GET", url: "https://shop.example.com/x" })).toBe(
    "GET shop.example.com/x",
  );
  expect(say("set", { values: { day: 1, orders: 2 } })).toBe("day, orders");
  expect(say("set", { values: {} })).toBe("set values");
  expect(say("delay", { ms: 60_000 })).toBe("for 1m 00s");
  expect(say("loop", { body: { nodes: [{ id: "a", type: "set" }], edges: [] } })).toBe(
    "1 step inside",
  );
  expect(say("unheard_of")).toBe("unheard_of");
  const forEach = { items: "{{ trigger.input }}" };
  expect(describeStep({ id: "x", type: "unheard_of", forEach })).toBe("loop: unheard_of");
});
