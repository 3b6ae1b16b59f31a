import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { deployWorkflow, runWorkflow } from "#domains/runs/testing/workflows.ts";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../app.ts";
import { packedCli } from "../cli/testing/packed-cli.ts";
import { offlineContributions } from "./contributions.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
const folder = mkdtempSync(join(tmpdir(), "millrace-offline-"));
afterAll(async () => rmSync(folder, { recursive: true, force: true }));
// The npm layout of the packages: an older Node strips types with one of them.
symlinkSync(join(dirname(await packedCli()), "offline"), join(folder, "offline"));
writeFileSync(
  join(folder, "ask.mjs"),
  `import { readFileSync } from "node:fs";
import { OfflineTests } from "./offline/index.mjs";
const { items, asks } = JSON.parse(readFileSync(0, "utf8"));
const tests = new OfflineTests(items, "production");
const answers = [];
for (const [method, one, many] of asks) answers.push(await tests[method](one, many));
await tests.close();
process.stdout.write(JSON.stringify(answers));`,
);

/** This Node and the machine's Node, if any, which may be older. */
const nodes = [
  process.execPath,
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .map((place) => join(place, "node"))
    .filter((path) => !path.includes("node_modules") && existsSync(path))
    .slice(0, 1),
];

type Asked = readonly [method: "testWorkflow" | "testArtifact", one: unknown, many: unknown[]];

function askOffline(node: string, items: object, asks: readonly Asked[]): any[] {
  const input = JSON.stringify({ items, asks });
  // An empty environment, without an address or a credential.
  const out = execFileSync(node, [join(folder, "ask.mjs")], { input, env: {}, cwd: folder });
  return JSON.parse(out.toString());
}

async function askServer([method, one, many]: Asked): Promise<unknown> {
  const { status, body } =
    method === "testWorkflow"
      ? await owner("POST /api/v1/code/test-workflow", { definition: one, fixtures: many })
      : await owner("POST /api/v1/code/test-artifact", { artifact: one, cases: many });
  return status === 422 ? { errors: body.errors } : { results: body.data.results };
}

/** Removes values that differ each time. */
function comparable(answer: any): unknown {
  if (!answer.results) return answer;
  return {
    results: answer.results.map((result: any) => {
      const { testCaseId: _, durationMs: __, ...rest } = result ?? {};
      return result && rest;
    }),
  };
}

test("knows every node type of a server", () => {
  const typesIn = (contributions: readonly any[]): string[] =>
    contributionsTo(NodeTypePoint, contributions)
      .map(({ type }) => type)
      .toSorted();
  const ofServer = domains.flatMap(({ contributions = [] }) => contributions);
  expect(typesIn(offlineContributions({}))).toEqual(typesIn(ofServer));
});

const { body: variable } = await owner("POST /api/v1/variables", { name: "RATE", value: 3 });
const NODES = [
  {
    id: "call",
    type: "http",
    config: { method: "POST", url: receiver.url, body: { id: "{{ run.id }}" } },
  },
  { id: "large", type: "condition", config: { expression: "trigger.input.total > 100" } },
  {
    id: "kind",
    type: "switch",
    config: { expression: "trigger.input.kind", cases: ["a", "b"] },
  },
  {
    id: "each",
    type: "loop",
    config: {
      items: "{{ trigger.input.rows }}",
      as: "row",
      body: {
        nodes: [
          { id: "half", type: "transform", config: { expression: "$round(row.n / 2, 1)" } },
          {
            id: "sent",
            type: "http",
            config: { method: "GET", url: `${receiver.url}?n={{ steps.half.output }}` },
            onError: "continue",
          },
        ],
        edges: [{ from: "half", to: "sent" }],
      },
    },
  },
  {
    id: "grow",
    type: "repeat",
    config: {
      state: 1,
      as: "n",
      until: "n > 20",
      body: {
        nodes: [{ id: "next", type: "transform", config: { expression: "n * variables.RATE" } }],
        edges: [],
      },
    },
  },
  { id: "late", type: "http", config: { method: "GET", url: receiver.url } },
  {
    id: "told",
    type: "set",
    config: {
      values: {
        at: "{{ $now() }}",
        who: "{{ workspace.slug }}",
        list: "{{ $map($sort(trigger.input.rows.n), function($v) { $v * 2 }) }}",
        status: "{{ steps.call.output.status }}",
      },
    },
  },
];
const EDGES = [
  { from: "call", to: "large" },
  { from: "large", to: "kind", when: "true" },
  { from: "kind", to: "each", when: "a" },
  { from: "kind", to: "late", when: "b" },
  { from: "each", to: "grow" },
  { from: "large", to: "told", when: "false" },
  { from: "grow", to: "told" },
];
const definition = { name: "Order", trigger: { type: "manual" }, nodes: NODES, edges: EDGES };
/** Replacement expressions: some compute synchronously, some in a process, some fail. */
const EXPRESSIONS = [
  "false",
  "trigger.input.total = 500",
  "$number('x')",
  "$reduce([1..9], function($a, $b) { $a + $b })",
  "steps.call.output.status",
  "variables.NONE",
  "$error('by design')",
  "trigger.input.rows[",
];
const INPUTS = [
  { total: 500, kind: "a", rows: [{ n: 3 }, { n: 1 }] },
  { total: 500, kind: "c", rows: [] },
  { total: 5, kind: "b", rows: [{ n: 1 }] },
];

/** The definition with each of its expressions replaced in turn. */
function mutations(): unknown[] {
  return NODES.flatMap((node) =>
    EXPRESSIONS.map((text) => {
      const { expression, values, until, ...config } = node.config as Record<string, unknown>;
      const changed =
        expression !== undefined
          ? { ...config, expression: text }
          : until !== undefined
            ? { ...config, until: text }
            : values !== undefined
              ? { ...config, values: { given: `{{ ${text} }}` } }
              : { ...config, headers: { "x-given": `{{ ${text} }}` } };
      const nodes = NODES.map((one) => (one === node ? { ...node, config: changed } : one));
      return { ...definition, nodes };
    }),
  );
}

test("replays recorded runs with any definition like a server: same verdict, step and values", async () => {
  const workflowId = await deployWorkflow(owner, NODES, { name: "Order", edges: EDGES });
  const fixtures: any[] = [];
  for (const input of INPUTS) {
    const run = await runWorkflow(owner, workflowId, input);
    fixtures.push((await owner(`GET /api/v1/code/fixture?runId=${run.id}`)).body.data);
  }
  expect(fixtures[0]).toMatchObject({
    variables: { RATE: 3 },
    workspace: { slug: "default" },
    steps: { "each[1].half": { output: 0.5 } },
  });
  const odd = [
    { ...fixtures[0], status: "odd" },
    { ...definition, nodes: [{ id: "a", type: "no" }] },
  ];
  const asks: Asked[] = [
    ["testWorkflow", definition, fixtures],
    ...mutations().map((one): Asked => ["testWorkflow", one, fixtures]),
    ["testWorkflow", definition, [odd[0]]],
    ["testWorkflow", odd[1], fixtures],
  ];
  const expected: unknown[] = [];
  for (const ask of asks) expected.push(await askServer(ask));
  const [first] = expected as any[];
  expect(first.results.map(({ verdict }: any) => verdict)).toEqual(["same", "same", "same"]);
  const verdicts = new Set(
    (expected as any[]).flatMap(({ results = [] }) => results.map(({ verdict }: any) => verdict)),
  );
  expect([...verdicts].toSorted()).toEqual([
    "needs_outcome",
    "other_branch",
    "other_output",
    "same",
    "would_fail",
  ]);
  for (const node of nodes) {
    expect(askOffline(node, {}, asks)).toEqual(expected);
  }
  // A fixture without values uses the folder's.
  const { variables: _, ...bare } = fixtures[0];
  const items = { variables: [{ name: "RATE", value: variable.data.value }] };
  const [taken] = askOffline(process.execPath, items, [["testWorkflow", definition, [bare]]]);
  expect(taken.results[0].verdict).toBe("same");
});

const SCRIPTS = [
  "return { n: input.n * 2 };",
  "const x: number = input.n; return { x };",
  "return { at: DateTime.fromISO('2026-01-31').plus({ months: 1 }).toISODate() };",
  "return { n: n8n.toList([{ json: { a: 1 } }, 2]).length + input.n, at: n8n.number('3') };",
  "return { bytes: Buffer.from('ä').toString('base64'), url: new URL('/a?b=1', 'https://c.de').href };",
  "return { body: (await context.http.request({ url: 'https://example.com' })).body };",
  "await new Promise((done) => setTimeout(done, 5)); context.log.info('x'); return { n: 1 };",
  "context.abort('enough'); return {};",
  "\n  throw new TypeError('no');",
  "Promise.reject(new Error('lost')); await new Promise(() => {});",
  "return { list: [1, undefined, () => 1], big: 2 ** 60, nan: NaN };",
  "return { seen: [typeof process, typeof require, typeof fetch, typeof WebAssembly] };",
  "return new Function('return 1')();",
  "return {",
  "import { a } from 'fs';\nreturn {};",
  "export default defineArtifact({ inputs: { n: { type: 'number', required: true } }, outputs: { m: { type: 'text' } }, execute: (input) => ({ m: input.n }) });",
  "export default { execute: async ({ n }) => ({ n }) };",
  "export const a = 1;",
];

test("runs artifacts like a server: same outputs, errors and error positions", async () => {
  const cases = [
    { name: "one", inputPayload: { n: 2 }, expected: { n: 4 } },
    {
      name: "mocked",
      inputPayload: {},
      expected: { body: 7 },
      mocks: { "http.request": [{ returns: { status: 200, headers: {}, body: 7 } }] },
    },
    { name: "fails", inputPayload: {}, expected: { runtimeError: { name: "TypeError" } } },
  ];
  const asks = SCRIPTS.map((scriptSource, index): Asked => {
    const detail = { scriptSource };
    const artifact = { key: `a${index}`, name: `a${index}`, artifactType: "workflow_node", detail };
    return ["testArtifact", artifact, cases];
  });
  const expected: unknown[] = [];
  for (const ask of asks) expected.push(comparable(await askServer(ask)));
  for (const node of nodes) {
    expect(askOffline(node, {}, asks).map(comparable)).toEqual(expected);
  }
  const [module, user] = [
    ["script_module", "rates", "export const rate = 2;"],
    [
      "workflow_node",
      "user",
      "import { rate } from 'module:rates';\nreturn { n: input.n * rate };",
    ],
  ].map(([artifactType, name, scriptSource]) => ({
    key: name,
    name,
    artifactType,
    detail: { scriptSource },
  }));
  for (const node of nodes) {
    const [answer] = askOffline(node, { artifacts: [module, user] }, [
      ["testArtifact", user, cases.slice(0, 1)],
    ]);
    expect(comparable(answer)).toMatchObject({ results: [{ name: "one", passed: true }] });
  }
});
