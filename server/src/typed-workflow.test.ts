import { isDeepStrictEqual } from "node:util";
import { runInThisContext } from "node:vm";
import * as builder from "@millrace/client/workflow";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";

const { defineWorkflow, expression, printWorkflow, secret, template } = builder;

/** Evaluates the default export of a source that imports only the builder. */
function evaluate(source: string): unknown {
  const body = source
    .replace(/^import (\{.*\}) from "@millrace\/client\/workflow";$/m, "const $1 = builder;")
    .replace("export default", "return");
  const run = runInThisContext(`(builder) => {${body}}`) as (module: typeof builder) => unknown;
  return run(builder);
}

const name = fc.constantFrom("a", "b-c", "if", "w", "and", "body", "__proto__", "constructor", "0");
const path = fc
  .tuple(
    fc.constantFrom("steps.a.output", "steps.`b-c`.output", "steps.if.error", "trigger", "item"),
    fc.array(fc.oneof(name, fc.constantFrom("`x y`", "[0]", "[01]", "and", "$sum(1)"))),
  )
  .map(([root, names]) => [root, ...names].join(".").replaceAll(".[", "["));
/** Texts that are templates or nearly so, or contain special characters of source code. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.oneof(
        path.map((one) => `{{ ${one} }}`),
        fc.constantFrom(
          "{{secrets.A}}",
          "{{ secrets.A }}",
          "`",
          "${",
          "\\",
          "\n",
          "\r\n",
          "{{",
          "}}",
          "{{ run.id }}",
          "{{ index }}",
          "  ",
        ),
      ),
    )
    .map((parts) => parts.join("")),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(name, fc.string()), tie("value"), { maxKeys: 4 }),
  ),
}));
const config = fc.dictionary(fc.constantFrom("values", "url", "as", "items", "body", "x-y"), value);

const id = fc.constantFrom("a", "b-c", "if", "each", "class", "w", "template", "Z_9");
const graph = (depth: number): fc.Arbitrary<{ nodes: object[]; edges: object[] }> => {
  const inner =
    depth === 0
      ? []
      : [
          fc.record(
            { items: text, as: fc.constantFrom("item", "order"), body: graph(depth - 1) },
            { requiredKeys: ["body"] },
          ),
        ];
  const node = fc.record(
    {
      id,
      type: fc.constantFrom("set", "http", "loop", "repeat", "shop.price"),
      config: fc.oneof(config, ...inner),
      name: text,
      onError: fc.constantFrom("fail", "continue"),
      forEach: fc.record(
        { items: text, as: fc.constantFrom("order", "item") },
        { requiredKeys: ["items"] },
      ),
      retry: fc.record({ maxAttempts: fc.nat(5) }),
    },
    { requiredKeys: ["id", "type"] },
  );
  const edge = fc.record(
    { from: id, to: id, when: fc.oneof(fc.constantFrom("true", "error"), text) },
    { requiredKeys: ["from", "to"] },
  );
  return fc.record({
    nodes: fc.array(node, { maxLength: 6 }),
    edges: fc.array(edge, { maxLength: 6 }),
  });
};
const definition = fc
  .tuple(
    fc.record(
      {
        name: text,
        trigger: fc.constantFrom({ type: "manual" }, { type: "schedule", cron: "0 9 * * *" }),
        note: text,
        tags: fc.array(text, { maxLength: 2 }),
        concurrencyKey: text,
      },
      { requiredKeys: ["name", "trigger"] },
    ),
    graph(2),
  )
  .map(([head, nodes]) => ({ ...head, ...nodes }));

test("printed source builds the same JSON for every definition", () => {
  fc.assert(
    fc.property(definition, text, (one, key) => {
      // In the format of HTTP.
      const file = JSON.parse(JSON.stringify({ key, definition: one })) as builder.WorkflowFile;
      const source = printWorkflow(file);
      const built: unknown = JSON.parse(JSON.stringify(evaluate(source)));
      expect(isDeepStrictEqual(built, file), source).toBe(true);
    }),
    { numRuns: tries(100, 5_000) },
  );
});

test("references become the product's expressions, and are printed as references again", () => {
  const file = defineWorkflow({ name: "Ship", trigger: { type: "manual" } }, (w) => {
    const orders = w.step("orders", "http", { url: "https://shop.example.com/orders" });
    const large = w.step("large", "condition", {
      expression: expression`${w.trigger["input"]!["total"]!} > ${100} and ${orders.output} != ${null}`,
    });
    const ship = w.forEach(
      "ship-it",
      "http",
      { forEach: { items: orders.output, as: "order" }, onError: "continue" },
      (order, index) => ({
        url: template`https://carrier.example.com/${order["id"]!}?n=${index}`,
        headers: { authorization: template`Bearer ${secret("CARRIER")}` },
      }),
    );
    const each = w.loop("each", { items: ship.output }, (body, item) => {
      const keep = body.step("keep", "set", { values: { id: item["lines"]![0]!["a-b"]! } });
      const tell = body.step("tell", "set", { values: { id: keep.output } });
      body.chain(keep, tell);
    });
    w.edge(orders, large);
    w.edge(large, ship, "true");
    w.edge(ship, each, "error");
  });
  expect(file.definition.nodes).toMatchObject([
    {},
    { config: { expression: "trigger.input.total > 100 and steps.orders.output != null" } },
    {
      forEach: { items: "{{ steps.orders.output }}", as: "order" },
      config: {
        url: "https://carrier.example.com/{{ order.id }}?n={{ index }}",
        headers: { authorization: "Bearer {{ secrets.CARRIER }}" },
      },
    },
    {
      config: {
        items: "{{ steps.`ship-it`.output }}",
        body: { nodes: [{ config: { values: { id: "{{ item.lines[0].`a-b` }}" } } }, {}] },
      },
    },
  ]);
  expect(file.definition.edges).toEqual([
    { from: "orders", to: "large" },
    { from: "large", to: "ship-it", when: "true" },
    { from: "ship-it", to: "each", when: "error" },
  ]);
  const source = printWorkflow(file);
  for (const part of [
    "items: orders.output",
    "template`https://carrier.example.com/${order.id}?n=${index}`",
    'template`Bearer ${secret("CARRIER")}`',
    'item.lines[0]["a-b"]',
    'w.edge(large, shipIt, "true");',
  ]) {
    expect(source).toContain(part);
  }
});
