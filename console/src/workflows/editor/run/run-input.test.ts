import { expect, test } from "vitest";
import type { Definition } from "../../graph/graph.ts";
import { describeInput } from "./run-input.ts";

const definition = (trigger: object, ...values: readonly string[]): Definition =>
  ({
    name: "Orders",
    trigger,
    nodes: [{ id: "a", type: "set", config: { values } }],
    edges: [],
  }) as Definition;

const namesOf = (schema: { readonly properties?: object } | undefined): readonly string[] =>
  Object.keys(schema?.properties ?? {});

test("manual run input contains the fields used by steps, with the types of the previous input", () => {
  const orders = definition(
    { type: "manual" },
    "{{ trigger.input.day }} of {{ $count(trigger.input.lines[price > 10]) }}",
    "{{ trigger.input.customer.name }} {{ trigger.input.`vat-id` }}",
  );
  const asked = describeInput(orders, { lines: [1], urgent: true, day: 5 });
  expect(asked?.sentAs).toBe("input");
  expect(namesOf(asked?.schema)).toEqual(["day", "lines", "customer", "vat-id", "urgent"]);
  expect(asked?.schema.properties).toMatchObject({
    day: { type: "number" },
    lines: { title: "lines" },
    customer: { examples: [{ name: "" }] },
    urgent: { type: "boolean" },
  });
});

test("requests an event for event trigger runs", () => {
  const heard = definition(
    { type: "event_bus", topic: "shop", eventType: "order.placed" },
    "{{ trigger.event.data.sku }}",
  );
  const asked = describeInput(heard, undefined);
  expect(asked).toMatchObject({ sentAs: "event", first: { type: "order.placed", data: {} } });
  expect(namesOf(asked?.schema.properties?.["data"] as object)).toEqual(["sku"]);
});

test("requests input for webhooks but not for schedules", () => {
  const hook = describeInput(definition({ type: "webhook" }, "{{ trigger.input.body.id }}"), {});
  expect(namesOf(hook?.schema)).toEqual(["body", "headers", "query"]);
  expect(namesOf(hook?.schema.properties?.["body"] as object)).toEqual(["id"]);
  expect(describeInput(definition({ type: "schedule", cron: "0 9 * * *" }), {})).toBeUndefined();
});

test("a trigger with a schema asks for input by that schema", () => {
  const inputSchema = { type: "object", properties: { order: { type: "integer" } } };
  const hand = definition({ type: "manual", inputSchema }, "{{ trigger.input.day }}");
  expect(describeInput(hand, undefined)?.schema).toEqual(inputSchema);
  const hook = definition({ type: "webhook", inputSchema });
  expect(describeInput(hook, undefined)?.schema.properties?.["body"]).toMatchObject(inputSchema);
});
