/**
 * Results of the real n8n, recorded with `npm run proof -- n8n-parity`, for small examples of nodes from public
 * templates.
 */
import { expect, test } from "vitest";
import { deployWorkflow, runWorkflow, stepsOf } from "#domains/runs/testing/workflows.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { importN8n } from "./import-workflow.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

interface Given {
  readonly type: string;
  readonly parameters?: object;
  readonly version?: number;
  readonly more?: object;
}

/** The items of each node: a chain after a manual trigger, or connected by the links `"from output -> to"`. */
async function runNodes(given: Readonly<Record<string, Given>>, links?: readonly string[]) {
  const names = Object.keys(given);
  const all = links ?? names.slice(1).map((name, at) => `${names[at]} 0 -> ${name}`);
  const connections: Record<string, { main: object[][] }> = {};
  for (const link of ["start 0 -> " + (names[0] ?? ""), ...all]) {
    const [from = "", output = "0", , to = ""] = link.split(" ");
    const { main } = (connections[from] ??= { main: [] });
    while (main.length <= Number(output)) main.push([]);
    main[Number(output)]?.push({ node: to, type: "main", index: 0 });
  }
  const nodes = Object.entries({ start: { type: "manualTrigger" } as Given, ...given }).map(
    ([name, { type, parameters = {}, version = 1, more }]) => ({
      name,
      type: `n8n-nodes-base.${type}`,
      typeVersion: version,
      position: [0, 0],
      parameters,
      ...more,
    }),
  );
  const { workflows } = importN8n({ name: "Small", nodes, connections });
  const [{ definition, report } = { definition: undefined, report: [] }] = workflows;
  expect(report.filter(({ status }) => status === "placeholder")).toEqual([]);
  const { nodes: steps = [], ...more } = definition ?? {};
  const done = await runWorkflow(owner, await deployWorkflow(owner, steps, more));
  expect(done.error).toBeNull();
  return Object.fromEntries(names.map((name) => [name, stepsOf(done)[name]?.output]));
}

const items = (...list: readonly object[]): Given => ({
  type: "code",
  parameters: { jsCode: `return ${JSON.stringify(list)}.map((json) => ({ json }));` },
});
const assignments = (...list: readonly (readonly [string, unknown, string])[]) => ({
  assignments: { assignments: list.map(([name, value, type]) => ({ name, value, type })) },
});

test("set fields have their declared type, and existing field names with dots are not paths", async () => {
  const { fields, parts } = await runNodes({
    make: items({ n: 1.5, flag: "0", list: "[1]", none: null, "a.b": 1, a: { b: [2, 3] } }),
    fields: {
      type: "set",
      version: 3.4,
      parameters: {
        ...assignments(
          ["text", "={{ $json.n }}", "string"],
          ["whole", "={{ $json.list }}", "array"],
          ["is", "={{ $json.flag }}", "boolean"],
          ["no", "={{ $json.none }}", "number"],
          ["deep[1].x", "={{ $workflow.name }}", "string"],
        ),
        includeOtherFields: true,
        include: "selected",
        includeFields: "a.b",
      },
    },
    parts: { type: "splitOut", parameters: { fieldToSplitOut: "whole, deep" } },
  });
  expect(fields).toEqual([
    { b: 1, text: "1.5", whole: [1], is: false, no: null, deep: [null, { x: "Small" }] },
  ]);
  expect(parts).toEqual([{ whole: 1, deep: null }, { deep: { x: "Small" } }]);
});

test("conditions compare by type; older nodes compare raw values", async () => {
  const condition = (left: string, type: string, operation: string, right: unknown = "") => ({
    conditions: {
      options: { caseSensitive: false, typeValidation: "loose", version: 2 },
      combinator: "and",
      conditions: [
        { leftValue: `={{ ${left} }}`, rightValue: right, operator: { type, operation } },
      ],
    },
  });
  const filter = (...given: Parameters<typeof condition>): Given => ({
    type: "filter",
    version: 2,
    parameters: condition(...given),
  });
  const ids = (list: unknown) => (list as { id: number }[] | undefined)?.map(({ id }) => id);
  const found = await runNodes(
    {
      make: items(
        { id: 1, v: null, t: "AB" },
        { id: 2, v: "3", t: "x" },
        { id: 3, v: 9, f: "false" },
      ),
      less: filter("$json.v", "number", "lt", 5),
      not: filter("$json.f", "boolean", "false"),
      alike: filter("$json.t", "string", "equals", "ab"),
      old: {
        type: "if",
        parameters: {
          conditions: { number: [{ value1: "={{ $json.v }}", operation: "equal", value2: 3 }] },
        },
      },
    },
    ["make 0 -> less", "make 0 -> not", "make 0 -> alike", "make 0 -> old"],
  );
  expect([ids(found["less"]), ids(found["not"]), ids(found["alike"])]).toEqual([
    [1, 2],
    [1, 2, 3],
    [1],
  ]);
  // Text is not a number for this node.
  expect(found["old"]).toMatchObject({ o0: [] });
});

test("code can use undeclared names, does not run without items, and a node can always output an item", async () => {
  const found = await runNodes(
    {
      make: items({ n: 1 }, { n: 2 }),
      sum: {
        type: "function",
        parameters: {
          functionCode:
            "total = 0;\nfor (item of items) { total += item.json.n; }\nitems = [{ json: [total] }];\nreturn items;",
        },
      },
      none: {
        type: "filter",
        version: 2,
        parameters: {
          conditions: {
            options: { version: 2 },
            combinator: "and",
            conditions: [
              {
                leftValue: "={{ $json.n }}",
                rightValue: 5,
                operator: { type: "number", operation: "gt" },
              },
            ],
          },
        },
      },
      never: { type: "code", parameters: { jsCode: "return [{ json: { ran: true } }];" } },
      always: {
        type: "code",
        parameters: { jsCode: "return [];" },
        more: { alwaysOutputData: true },
      },
      still: { type: "noOp", more: { alwaysOutputData: true } },
    },
    ["make 0 -> sum", "make 0 -> none", "none 0 -> never", "make 0 -> always", "none 0 -> still"],
  );
  expect(found).toMatchObject({ sum: [[3]], none: [], never: [], always: [{}], still: [] });
});

test("a loop provides its batch and last iteration; a comparison returns both sides", async () => {
  const found = await runNodes(
    {
      make: items({ k: 1, v: 1 }, { k: 2, v: 2 }, { k: 3, v: 3 }),
      loop: { type: "splitInBatches", version: 3, parameters: { batchSize: 2 } },
      turn: {
        type: "code",
        parameters: {
          jsCode:
            "return $('loop').all().map(({ json }) => ({ json: { ...json, v: json.v === 2 ? 0 : json.v, last: $('loop').context.noItemsLeft, own: $('make').item.json.k } }));",
        },
      },
      both: {
        type: "compareDatasets",
        version: 2.3,
        parameters: {
          mergeByFields: { values: [{ field1: "k", field2: "k" }] },
          options: { skipFields: "last,own" },
        },
      },
    },
    ["make 0 -> loop", "loop 1 -> turn", "turn 0 -> loop", "make 0 -> both", "loop 0 -> both"],
  );
  // A node before the loop returns the item paired with the first item of the batch.
  expect(found["loop"]).toMatchObject([
    { last: false, own: 1 },
    { last: false, own: 1 },
    { last: true, own: 3 },
  ]);
  expect(found["both"]).toMatchObject({
    o0: [],
    o1: [{ k: 1 }, { k: 3 }],
    o2: [{ keys: { k: 2 }, different: { v: { inputA: 2, inputB: 0 } } }],
  });
});

test("XML output has a line for each element", async () => {
  const { xml } = await runNodes({
    make: items({ a: 1, list: ["x", "<y>"], none: "", deep: { $: { id: 7 }, _: "z" } }),
    xml: { type: "xml", parameters: { mode: "jsonToxml", dataPropertyName: "text" } },
  });
  expect(xml).toEqual([
    {
      text: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<root>
  <a>1</a>
  <list>x</list>
  <list>&lt;y&gt;</list>
  <none/>
  <deep id="7">z</deep>
</root>`,
    },
  ]);
});
