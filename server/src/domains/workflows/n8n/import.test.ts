/** Imported n8n workflows give the same results as in n8n, item by item. */
import { expect, test } from "vitest";
import {
  deployWorkflow,
  runWorkflow,
  stepsOf,
  waitForRun,
} from "#domains/runs/testing/workflows.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { connect, node } from "./testing/n8n-nodes.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const convert = async (nodes: readonly object[], connections: object, bindings: object = {}) => {
  const workflow = { name: "Imported", nodes, connections };
  const { body, status, events } = await owner("POST /api/v1/workflows/import", {
    format: "n8n",
    workflow,
    bindings,
  });
  expect([status, events]).toEqual([200, []]);
  return body.data;
};
async function run(imported: any, input?: unknown) {
  const [{ definition }] = imported.workflows;
  const { nodes, ...more } = definition;
  return runWorkflow(owner, await deployWorkflow(owner, nodes, more), input);
}

test("code, fields, conditions, loops and calls process items as in n8n", async () => {
  receiver.answer = ({ body }, response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify([{ sent: body.n, by: body.by }]));
  const holds = (leftValue: string, operation: string, rightValue: unknown) => ({
    conditions: {
      combinator: "and",
      conditions: [{ leftValue, rightValue, operator: { type: "number", operation } }],
    },
  });
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node("Numbers", "code", { jsCode: "return [1, 2, 3, 4].map((n) => ({ json: { n } }));" }),
      node(
        "Fields",
        "set",
        {
          assignments: {
            assignments: [
              { name: "twice", value: "={{ $json.n * 2 }}", type: "number" },
              {
                name: "text",
                value: "=n is {{ $json.n }} of {{ $('Numbers').all().length }}",
                type: "string",
              },
              { name: "deep.er", value: "={{ $json.a.b.c }}", type: "string" },
            ],
          },
          includeOtherFields: true,
        },
        { typeVersion: 3.4 },
      ),
      node("Large?", "if", holds("={{ $json.twice }}", "gt", 4), { typeVersion: 2 }),
      node("Batches", "splitInBatches", { batchSize: 1 }, { typeVersion: 3 }),
      node(
        "Send",
        "httpRequest",
        {
          method: "POST",
          url: `${receiver.url}/send`,
          sendBody: true,
          bodyParameters: {
            parameters: [
              { name: "n", value: "={{ $json.n }}" },
              { name: "by", value: "={{ $now.year > 2000 ? 'us' : '' }}" },
            ],
          },
        },
        { typeVersion: 4.2 },
      ),
      node("Sum", "aggregate", { aggregate: "aggregateAllItemData", destinationFieldName: "all" }),
      node("Small", "noOp"),
    ],
    connect(
      "Start -> Numbers",
      "Numbers -> Fields",
      "Fields -> Large?",
      "Large? 0 -> Batches",
      "Large? 1 -> Small",
      "Batches 1 -> Send",
      "Send -> Batches",
      "Batches 0 -> Sum",
    ),
  );
  expect(imported.counts).toEqual({ converted: 8, approximated: 0, placeholder: 0 });
  const done = await run(imported);
  expect(done.error).toBeNull();
  const steps = stepsOf(done);
  expect(steps["fields"].output).toEqual(
    [1, 2, 3, 4].map((n) => ({ n, twice: 2 * n, text: `n is ${n} of 4`, deep: { er: null } })),
  );
  expect(steps["small"].output.map(({ n }: any) => n)).toEqual([1, 2]);
  expect(steps["sum"].output).toEqual([
    {
      all: [
        { sent: 3, by: "us" },
        { sent: 4, by: "us" },
      ],
    },
  ]);
  expect(receiver.received).toHaveLength(2);
});

test("an unsupported node fails when an item arrives, and not before", async () => {
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node("Some", "filter", {
        conditions: { number: [{ value1: "={{ $json.n }}", operation: "larger", value2: 1 }] },
      }),
      node("Shell", "ssh", { command: "{{ not ours }}" }),
      node("Note", "stickyNote", { content: "Why it is so", width: 10_000, height: 10_000 }),
    ],
    connect("Start -> Some", "Some -> Shell"),
  );
  const [{ definition, report }] = imported.workflows;
  expect(report.find(({ status }: any) => status === "placeholder")).toEqual({
    node: "Shell",
    type: "ssh",
    stepId: "shell",
    status: "placeholder",
    reasons: ["needs ssh"],
  });
  expect(definition.nodes[0].note).toBe("Why it is so");
  expect((await run(imported, [{ n: 1 }])).status).toBe("completed");
  expect((await run(imported, [{ n: 2 }])).error).toMatchObject({
    code: "not_imported",
    path: "shell",
  });
});

test("imports selected connectors and workflows and combines several triggers in a workflow", async () => {
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Telegram",
    type: "http",
    config: { baseUrl: `${receiver.url}/bot` },
  });
  receiver.answer = (_received, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
  const nodes = [
    node("Hook", "webhook", { httpMethod: "POST", path: "x" }),
    node("Daily", "scheduleTrigger", { rule: { interval: [{ field: "days", triggerAtHour: 7 }] } }),
    node("Tell", "telegram", { chatId: "7", text: "=Hello {{ $json.body?.name ?? 'all' }}" }),
  ];
  const links = connect("Hook -> Tell", "Daily -> Tell");
  const first = await convert(nodes, links);
  expect(first.bindings).toEqual([
    {
      id: "connector:telegram",
      kind: "connector",
      title: "Telegram (a service of the catalogue)",
      usedBy: ["Tell"],
    },
  ]);
  // A connection can be selected later: the draft is saved, but cannot be deployed.
  const open = await owner("POST /api/v1/workflows", first.workflows[0].definition);
  expect(open.status).toBe(201);
  const choice = expect.objectContaining({ message: "is required" });
  expect(open.body.data.warnings).toContainEqual(choice);
  const deployed = await owner(`POST /api/v1/workflows/${open.body.data.id}/publish`);
  expect([deployed.status, deployed.body.errors]).toEqual([422, [choice]]);
  const preview = await owner(`GET /api/v1/workflows/${open.body.data.id}/publish`);
  expect(preview.body.data.possible).toBe(false);
  expect(preview.body.data.errors).toContainEqual(choice);
  const bound = await convert(nodes, links, { "connector:telegram": body.data.id });
  const [{ definition }] = bound.workflows;
  expect([definition.trigger, ...definition.triggers]).toEqual([
    { type: "webhook", id: "hook", name: "Hook", start: ["tell_args"] },
    { type: "schedule", cron: "0 7 * * *", id: "daily", name: "Daily", start: ["tell_args"] },
  ]);
  const done = await run(bound);
  expect(done.error).toBeNull();
  expect(receiver.received).toMatchObject([
    { path: "/bot/sendMessage", body: { chat_id: "7", text: "Hello all", parse_mode: "Markdown" } },
  ]);
});

test("hostile exports are refused or harmless", async () => {
  const ask = (workflow: unknown) =>
    owner("POST /api/v1/workflows/import", { format: "n8n", workflow });
  expect((await ask({ nodes: "none" })).status).toBe(422);
  expect((await ask({ nodes: Array.from({ length: 301 }, () => node("A", "noOp")) })).status).toBe(
    422,
  );
  const rules = (list: readonly object[], value1 = "") =>
    node("Rules", "switch", { dataType: "string", value1, rules: { rules: list } });
  const empty = Array.from({ length: 1_000 }, () => ({}));
  // Inputs that would take too much time or memory.
  const heavy = [
    node("Comment", "code", { jsCode: `// ${"$(".repeat(100_000)}` }),
    rules([{ output: 4_000_000_000 }]),
    rules(empty, "x".repeat(200_000)),
    rules([{ value2: `=${"{{1}}".repeat(200_000)}` }]),
  ];
  const reports = await Promise.all(heavy.map((one) => convert([one], {})));
  expect(reports.map(({ workflows: [{ report }] }) => report[0].status)).toEqual([
    "converted",
    "placeholder",
    "placeholder",
    "placeholder",
  ]);
  const odd = await convert(
    [
      node("toString", "manualTrigger"),
      node("constructor", "set", {
        values: { string: [{ name: "={{ (() => { while (true) {} }}", value: "=x" }] },
      }),
      node("null", "code", { jsCode: "}); process.exit(); ({" }),
      node("Loop", "noOp"),
    ],
    {
      toString: { main: [[{ node: "constructor" }, { node: "null" }, { node: "Loop" }]] },
      Loop: { main: [[{ node: "Loop" }]] },
      null: 7,
    },
  );
  expect(odd.workflows[0].report.map(({ status }: any) => status)).toEqual(
    expect.arrayContaining(["approximated"]),
  );
  const { nodes, ...more } = odd.workflows[0].definition;
  await deployWorkflow(owner, nodes, more);
  // A statement whose text depends on data is imported unchanged, and reported.
  const sql = (query: string) =>
    convert([node("Ask", "postgres", { operation: "executeQuery", query })], {});
  const [open, closed] = await Promise.all([
    sql("=select * from people where name = '{{ $json.name }}'"),
    sql("select * from people where name = $1"),
  ]);
  const [{ report }] = open.workflows;
  expect([report[0].status, closed.counts.converted]).toEqual(["approximated", 1]);
  expect(report[0].reasons).toEqual([expect.stringContaining("This allows SQL injection")]);
});

test("n8n static data and deduplication history persist between runs", async () => {
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node("Ids", "code", {
        jsCode: "return $input.first().json.ids.map((id) => ({ json: { id } }));",
      }),
      node(
        "New",
        "removeDuplicates",
        { operation: "removeItemsSeenInPreviousExecutions", dedupeValue: "={{ $json.id }}" },
        { typeVersion: 2 },
      ),
      node("Count", "code", {
        jsCode:
          "const kept = $getWorkflowStaticData('global');\nkept.total = (kept.total ?? 0) + $input.all().length;\nreturn [{ json: { total: kept.total, from: $vars.SHOP ?? 'nowhere', no: $env.NOTHING ?? null } }];",
      }),
    ],
    connect("Start -> Ids", "Ids -> New", "New -> Count"),
  );
  expect(imported.counts.placeholder).toBe(0);
  await owner("POST /api/v1/variables", { name: "SHOP", value: "here" });
  const { nodes, ...more } = imported.workflows[0].definition;
  const id = await deployWorkflow(owner, nodes, more);
  const totals = [];
  for (const ids of [[1, 2], [2, 3], [3]]) {
    const done = await runWorkflow(owner, id, { ids });
    expect(done.error).toBeNull();
    totals.push(stepsOf(done)["count"].output);
  }
  // A node without input items does not run.
  const shown = [2, 3].map((total) => [{ total, from: "here", no: null }]);
  expect(totals).toEqual([...shown, []]);
});

test("data table rows become records, and a merge by position uses the shorter list", async () => {
  const made = await owner("POST /api/v1/tables", {
    name: "Stock",
    slug: "stock",
    columns: [
      { name: "sku", type: "text" },
      { name: "amount", type: "integer" },
    ],
  });
  expect(made.status).toBe(201);
  const table = { __rl: true, mode: "list", value: "t1", cachedResultName: "stock" };
  const columns = (value: object) => ({ mappingMode: "defineBelow", value });
  const where = { conditions: [{ keyName: "sku", keyValue: "={{ $json.sku }}" }] };
  const row = (name: string, operation: string, more: object) =>
    node(name, "dataTable", { operation, dataTableId: table, ...more });
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node("Goods", "code", {
        jsCode: "return [{ sku: 'a', amount: 1 }, { sku: 'b', amount: 2 }];",
      }),
      row("Insert", "insert", {
        columns: columns({ sku: "={{ $json.sku }}", amount: "={{ $json.amount }}" }),
      }),
      row("More", "upsert", {
        filters: where,
        columns: columns({ sku: "={{ $json.sku }}", amount: "={{ $json.amount + 10 }}" }),
      }),
      row("Gone", "deleteRows", { filters: { conditions: [{ keyName: "sku", keyValue: "a" }] } }),
      row("Left", "get", { returnAll: true, filters: {} }),
      node(
        "Both",
        "merge",
        { mode: "combine", combineBy: "combineByPosition" },
        { typeVersion: 3.2 },
      ),
    ],
    connect(
      "Start -> Goods",
      "Goods -> Insert",
      "Insert -> More",
      "More -> Gone",
      "Gone -> Left",
      "Left -> Both",
      "Goods -> Both",
    ),
    { "table:t1": "stock" },
  );
  expect(imported.counts.placeholder).toBe(0);
  const done = await run(imported);
  expect(done.error).toBeNull();
  const steps = stepsOf(done);
  expect(steps["left"].output).toMatchObject([{ sku: "b", amount: 12 }]);
  expect(steps["both"].output).toMatchObject([{ sku: "a", amount: 1 }]);
});

test("continues a waiting webhook node after a request to the resume URL", async () => {
  receiver.answer = (_asked, response) => void response.writeHead(204).end();
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node(
        "Tell",
        "httpRequest",
        {
          method: "POST",
          url: `${receiver.url}/tell`,
          sendBody: true,
          bodyParameters: {
            parameters: [{ name: "address", value: "={{ $execution.resumeUrl }}" }],
          },
        },
        { typeVersion: 4.2 },
      ),
      node("Wait", "wait", { resume: "webhook", httpMethod: "POST" }, { typeVersion: 1.1 }),
      node("After", "code", { jsCode: "return [{ json: { said: $json.body.said } }];" }),
    ],
    connect("Start -> Tell", "Tell -> Wait", "Wait -> After"),
  );
  expect(imported.counts.placeholder).toBe(0);
  const { nodes, ...more } = imported.workflows[0].definition;
  const id = await deployWorkflow(owner, nodes, more);
  const { body } = await owner(`POST /api/v1/workflows/${id}/trigger`, {});
  const told = await until(async () => receiver.received.find(({ path }) => path === "/tell"));
  await world.stranger(`POST ${new URL(told.body.address).pathname}`, { said: "yes" });
  const done = await waitForRun(owner, body.data.runId);
  expect(stepsOf(done)["after"].output).toEqual([{ said: "yes" }]);
});
