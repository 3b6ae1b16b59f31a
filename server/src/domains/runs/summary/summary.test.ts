import { expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { openStream } from "../stream.ts";
import { deployWorkflow, runWorkflow, trigger, waitForRun } from "../testing/workflows.ts";
import { NodeTally } from "./node-summary.ts";

const receiver = await useFixture(startReceiver());
receiver.answer = (_received, response) => void response.writeHead(503).end("no");
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

/** Two nested loops: orders and their lines. Lines divisible by 30 fail. */
const ORDERS = [
  {
    id: "each",
    type: "loop",
    config: {
      items: "{{ [0..7] }}",
      as: "order",
      body: {
        nodes: [
          {
            id: "lines",
            type: "loop",
            config: {
              items: "{{ [0..9] }}",
              as: "row",
              body: {
                nodes: [
                  {
                    id: "even",
                    type: "condition",
                    config: { expression: "(order * 10 + row) % 2 = 0" },
                  },
                  {
                    id: "label",
                    type: "transform",
                    config: {
                      expression: '(order * 10 + row) % 30 = 0 ? $error("no") : order * 10 + row',
                    },
                    onError: "continue",
                  },
                ],
                edges: [{ from: "even", to: "label", when: "true" }],
              },
            },
          },
        ],
        edges: [],
      },
    },
  },
];

const nodesByKey = (nodes: readonly any[]) =>
  Object.fromEntries(
    nodes.map(({ key, name: _, startedAt: __, finishedAt: ___, ...node }) => [key, node]),
  );

const SUMMARY = {
  each: {
    nodeId: "each",
    type: "loop",
    total: 1,
    statuses: { completed: 1 },
    branches: {},
    loop: { items: 8, done: 8, failed: 0 },
  },
  "each/lines": {
    nodeId: "lines",
    type: "loop",
    total: 8,
    statuses: { completed: 8 },
    branches: {},
    loop: { items: 80, done: 77, failed: 3 },
  },
  "each/lines/even": {
    nodeId: "even",
    type: "condition",
    total: 80,
    statuses: { completed: 80 },
    branches: { true: 40, false: 40 },
  },
  "each/lines/label": {
    nodeId: "label",
    type: "transform",
    total: 80,
    statuses: { completed: 37, failed: 3, skipped: 40 },
    branches: {},
    firstFailedId: "each[0].lines[0].label",
  },
};

test("a summary counts steps by node and items by loop, and steps are filtered by node, item and status", async () => {
  const run = await runWorkflow(owner, await deployWorkflow(owner, ORDERS));
  expect(run.status).toBe("completed");
  const { body } = await owner(`GET /api/v1/runs/${run.id}/summary`);
  expect(body.data).toMatchObject({ runId: run.id, status: "completed", total: 169 });
  expect(nodesByKey(body.data.nodes)).toEqual(SUMMARY);
  const find = async (query: string) =>
    (await owner(`GET /api/v1/runs/${run.id}/steps?${query}`)).body;
  const failed = await find("node=each/lines/label&status=failed");
  expect(failed.data.map(({ id, error }: any) => [id, error.message !== ""])).toEqual([
    ["each[0].lines[0].label", true],
    ["each[3].lines[0].label", true],
    ["each[6].lines[0].label", true],
  ]);
  const ofItem = await find("item=each[6].lines[4]");
  expect(ofItem.data.map(({ id, output }: any) => [id, output])).toEqual([
    ["each[6].lines[4].even", true],
    ["each[6].lines[4].label", 64],
  ]);
  const several = await find("item=each[2-3]&deep=false");
  expect(several.data.map(({ id }: any) => id)).toEqual(["each[2].lines", "each[3].lines"]);
  const inLoop = await find("item=each[2-6]&node=each/lines/&status=failed");
  expect(inLoop.data.map(({ id }: any) => id)).toEqual([
    "each[3].lines[0].label",
    "each[6].lines[0].label",
  ]);
  expect((await find("item=each")).data).toEqual([]);
  const seen: string[] = [];
  for (let after = ""; ;) {
    const next = await find(`item=each[2]&limit=4${after && `&after=${after}`}`);
    seen.push(...next.data.map(({ id }: any) => id));
    if (!next.pagination.hasMore) break;
    after = next.pagination.nextCursor;
  }
  expect(seen).toHaveLength(21);
  expect(new Set(seen).size).toBe(21);
  const refused = await owner(`GET /api/v1/runs/${run.id}/steps?status=failed,nonsense`);
  expect(refused.status).toBe(422);
});

test("a stream updates the summary with each change", async () => {
  const DELAY = { id: "sleep", type: "delay", config: { ms: 60_000 } };
  const body = {
    nodes: [{ id: "ask", type: "approval", config: { approvers: ["owner"] } }],
    edges: [],
  };
  const each = {
    id: "each",
    type: "loop",
    config: { items: "{{ [1, 2, 3] }}", concurrency: 3, body },
  };
  const id = await deployWorkflow(owner, [DELAY, each]);
  const { runId } = (await trigger(owner, id, { n: 1 })).body.data;
  await waitForRun(owner, runId, ["waiting"]);
  const caller = {
    workspace: { key: world.home, id: "" },
    environment: "production",
    permissions: new Set(["traces:read"]),
    actor: { id: "" },
  } as never;
  const frames: any[] = [];
  const ended = (async () => {
    const content = { summary: true, steps: "top" } as const;
    for await (const piece of await openStream(world.kernel, caller, runId, content)) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(piece) ?? [];
      if (event && data) frames.push({ event, data: JSON.parse(data) });
    }
  })();
  await until(async () => frames.length > 0);
  expect(frames[0].data).toMatchObject({
    trigger: { type: "manual", input: { n: 1 } },
    summary: { nodes: [{ key: "sleep", statuses: { waiting: 1 } }] },
  });
  world.clock.advance(61_000);
  await waitForRun(owner, runId, ["paused"]);
  for (const index of [0, 1, 2]) {
    const stepId = `each[${index}].ask`;
    await until(
      async () =>
        (await owner(`POST /api/v1/runs/${runId}/resume`, { stepId, approved: true })).status < 300,
    );
  }
  await waitForRun(owner, runId);
  await ended;
  const merged = new Map<string, any>();
  for (const { event, data } of frames) {
    for (const node of (event === "run"
      ? data.summary?.nodes
      : event === "summary" && data.nodes) || [])
      merged.set(node.key, node);
  }
  const { body: summary } = await owner(`GET /api/v1/runs/${runId}/summary`);
  expect(nodesByKey([...merged.values()])).toEqual(nodesByKey(summary.data.nodes));
  const sent = frames.filter(({ event }) => event === "step").map(({ data }) => data.id);
  expect(new Set(sent)).toEqual(new Set(["sleep", "each"]));
});

test("incremental counts equal a complete count", () => {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
  const run = { status: "running", nowMs: 0 } as const;
  const statuses = ["running", "waiting", "completed", "failed", "skipped"] as const;
  const tally = new NodeTally(undefined);
  const records = new Map<string, JournalRecord>();
  for (let n = 0; n < 2_000; n += 1) {
    const path = `each[${next(20)}].${["a", "b"][next(2)]}`;
    if (next(10) === 0) {
      records.delete(path);
      tally.remove(path);
      continue;
    }
    const status = statuses[next(statuses.length)] ?? "running";
    const record = {
      path,
      node: "a",
      status,
      attempts: 1,
      ...(next(2) === 0 && { branch: "true" }),
    };
    records.set(path, record);
    tally.put(run, record);
  }
  const fresh = new NodeTally(undefined);
  for (const record of records.values()) fresh.put(run, record);
  const counts = (one: NodeTally) =>
    one
      .summaries()
      .map(({ key, total, statuses: by, branches }) => ({ key, total, by, branches }))
      .filter(({ total }) => total > 0)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  expect(counts(tally)).toEqual(counts(fresh));
});

test("each attempt at a step has its times and its error", async () => {
  const retry = { maxAttempts: 3, backoffMs: 1_000, strategy: "fixed" };
  const id = await deployWorkflow(owner, [
    { id: "call", type: "http", config: { url: `${receiver.url}/` }, retry },
  ]);
  const { runId } = (await trigger(owner, id)).body.data;
  for (const attempts of [1, 2]) {
    await until(async () => {
      const { body } = await owner(`GET /api/v1/runs/${runId}/steps/call`);
      return body.data?.status === "waiting" && body.data.attempts === attempts;
    });
    world.clock.advance(60_000);
  }
  await waitForRun(owner, runId, ["failed"]);
  await owner(`POST /api/v1/runs/${runId}/retry`, {});
  await until(async () => {
    const { body } = await owner(`GET /api/v1/runs/${runId}/steps/call`);
    return body.data?.attemptLog.length === 4;
  });
  const { body } = await owner(`GET /api/v1/runs/${runId}/steps/call`);
  expect(
    body.data.attemptLog.map(({ round, attempt, status }: any) => [round, attempt, status]),
  ).toEqual([
    [0, 1, "failed"],
    [0, 2, "failed"],
    [0, 3, "failed"],
    [1, 1, "failed"],
  ]);
  for (const attempt of body.data.attemptLog) {
    expect(attempt).toMatchObject({
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      error: { code: expect.any(String) },
    });
  }
  expect((await owner(`GET /api/v1/runs/${runId}/steps/nobody`)).status).toBe(404);
});
