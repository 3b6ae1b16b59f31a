/** Races, workflows called by name, and saved queries and reports as steps. */
import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  chainEdges,
  deployAndRun,
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  stepsOf,
  trigger,
  waitForRun,
} from "./testing/workflows.ts";
import { publish } from "./testing/triggers.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const race = (nodes: readonly object[], edges: readonly object[] = []) => ({
  id: "race",
  type: "race",
  config: { body: { nodes, edges } },
});
const hour = { id: "hour", type: "delay", config: { ms: 3_600_000 } };
const call = (id: string, more: object = {}) => ({
  id,
  type: "http",
  config: { method: "POST", url: `${receiver.url}/${id}`, body: {} },
  ...more,
});

test("the first branch wins; waits, approvals, requests in flight and runs of the other branches are cancelled", async () => {
  const child = await deployWorkflow(owner, [hour]);
  const config = { approvers: ["owner"] };
  const hanging = Promise.withResolvers<void>();
  let isCut = false;
  receiver.answer = (_request, response) => {
    response.on("close", () => {
      isCut = true;
      hanging.resolve();
    });
  };
  const branches = [
    { id: "event", type: "wait_for_event", config: { topic: "races", since: "wait" } },
    { id: "said", type: "set", config: { values: { by: "{{ steps.event.output.data.by }}" } } },
    hour,
    { id: "people", type: "approval", config },
    { id: "child", type: "subworkflow", config: { workflowId: child } },
    call("slow"),
  ];
  const id = await deployWorkflow(owner, [
    race(branches, [{ from: "event", to: "said" }]),
    { id: "end", type: "transform", config: { expression: "steps.race.output" } },
  ]);
  const { body } = await trigger(owner, id);
  const { runId } = body.data;
  const childRun = await until(async () => {
    const { body: list } = await owner(`GET /api/v1/runs?workflowId=${child}`);
    return receiver.received.length > 0 && list.data[0]?.status === "waiting" && list.data[0];
  });
  await until(async () => (await world.sql("select from run_waits")).length === 1);
  await publish(owner, "races", { type: "go", payload: { by: "event" } });
  const run = await waitForRun(owner, runId);
  expect(run).toMatchObject({
    status: "completed",
    output: { winner: "event", output: { by: "event" } },
  });
  const steps = stepsOf(run);
  for (const lost of ["hour", "people", "child", "slow"]) {
    expect(steps[`race[0].${lost}`].status, lost).toBe("cancelled");
  }
  expect(steps["race[0].slow"].logs.at(-1).message).toMatch(/may have happened/);
  await hanging.promise;
  expect(isCut).toBe(true);
  expect((await waitForRun(owner, childRun.id)).status).toBe("cancelled");
  expect((await owner("GET /api/v1/approvals")).body.data).toEqual([]);
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  // A rehearsal produces the recorded result.
  const rehearsed = await owner(`POST /api/v1/workflows/${id}/rehearse`, {});
  expect(rehearsed.body.data).toMatchObject({ counts: { same: 1 }, rehearsed: 1 });
});

test("a failed branch leaves the race; if all fail the race fails and is retried as a whole", async () => {
  let calls = 0;
  receiver.answer = ({ path }, response) => {
    calls += 1;
    response.writeHead(path === "/good" && calls > 4 ? 200 : 422).end();
  };
  const config = { topic: "rescue" };
  const rescued = await deployWorkflow(owner, [
    race([call("bad"), { id: "event", type: "wait_for_event", config }]),
  ]);
  const { body } = await trigger(owner, rescued);
  await until(async () => {
    const { body: found } = await owner(`GET /api/v1/runs/${body.data.runId}`);
    return stepsOf(found.data)["race[0].bad"]?.status === "failed";
  });
  await publish(owner, "rescue", { type: "go" });
  const passed = await waitForRun(owner, body.data.runId);
  expect(passed.output).toMatchObject({ winner: "event" });
  expect(stepsOf(passed)["race[0].bad"].status).toBe("failed");
  calls = 0;
  const both = race([call("bad"), call("good")]);
  const failed = await deployAndRun(owner, [both]);
  expect(failed.error).toMatchObject({ code: "http_status", path: "race[0].bad" });
  calls = 3;
  const retry = { maxAttempts: 2, backoffMs: 1 };
  const retried = await deployAndRun(owner, [{ ...both, retry }]);
  expect(retried).toMatchObject({ status: "completed", output: { winner: "good" } });
  const saved = await owner("POST /api/v1/workflows", {
    name: "Bad",
    trigger: { type: "manual" },
    nodes: [race([call("a"), call("b")], [{ from: "a", to: "b" }])],
    edges: [],
  });
  expect(saved.body.errors).toMatchObject([{ path: "/nodes/0/config/body" }]);
  // Inside a loop its steps see the item. A test run takes the first branch, or the mocked one.
  const loop = {
    id: "each",
    type: "loop",
    config: {
      items: [1, 2],
      body: {
        nodes: [
          race([{ id: "own", type: "set", config: { values: { n: "{{ item + index }}" } } }, hour]),
        ],
        edges: [],
      },
    },
  };
  const looped = await deployAndRun(owner, [loop]);
  expect(looped.output).toEqual([1, 3].map((n) => ({ winner: "own", output: { n } })));
});

test("a workflow is called by name if the name is unique", async () => {
  const inner = { id: "say", type: "set", config: { values: { said: "{{ trigger.input }}" } } };
  const step = (workflow: string) => ({
    id: "run",
    type: "subworkflow",
    config: { workflow, input: "hello" },
  });
  await deployWorkflow(owner, [inner], { name: "Say it" });
  const outer = await deployWorkflow(owner, [step("Say it")]);
  expect((await runWorkflow(owner, outer)).output).toEqual({ said: "hello" });
  await deployWorkflow(owner, [inner], { name: "Say it" });
  expect((await runWorkflow(owner, outer)).error).toMatchObject({ code: "ambiguous_workflow" });
  const nobody = await deployAndRun(owner, [step("Nobody")]);
  expect(nobody.error).toMatchObject({ code: "no_such_workflow" });
  const saved = await owner("POST /api/v1/workflows", {
    name: "Bad",
    trigger: { type: "manual" },
    nodes: [
      { id: "a", type: "subworkflow", config: {} },
      { id: "b", type: "subworkflow", config: { workflowId: outer, workflow: "Say it" } },
    ],
    edges: [],
  });
  expect(saved.body.errors.map(({ path }: any) => path)).toEqual([
    "/nodes/0/config/workflowId",
    "/nodes/1/config/workflowId",
  ]);
});

test("saved queries and reports run as steps, with parameters and the rights of the deployer", async () => {
  const orders = await createFilledTable(
    world,
    owner,
    {
      columns: [
        { name: "region", type: "text" },
        { name: "amount", type: "integer" },
      ],
    },
    [
      { region: "north", amount: 5 },
      { region: "south", amount: 7 },
      { region: "north", amount: 3 },
    ],
  );
  const query = await owner("POST /api/v1/queries", {
    name: "By region",
    sql: `select amount from ${orders.slug} where region = $1 order by amount`,
    parameters: [{ name: "region", type: "text" }],
  });
  expect(query.status, JSON.stringify(query.body)).toBe(201);
  const report = await owner("POST /api/v1/analytics/reports", {
    name: "Orders",
    source: { kind: "records", table: orders.slug },
    aggregates: [{ fn: "sum", field: "amount", as: "sum" }],
  });
  expect(report.status, JSON.stringify(report.body)).toBe(201);
  const nodes = [
    {
      id: "rows",
      type: "query",
      config: { queryId: query.body.data.id, params: { region: "{{ trigger.input.region }}" } },
    },
    {
      id: "sum",
      type: "report",
      config: { reportId: report.body.data.id, filter: { region: "{{ trigger.input.region }}" } },
    },
  ];
  const run = await deployAndRun(owner, nodes, { edges: chainEdges(nodes) }, { region: "north" });
  expect(run.error).toBeNull();
  expect(stepsOf(run)["rows"].output.rows).toEqual([{ amount: 3 }, { amount: 5 }]);
  expect(stepsOf(run)["sum"].output.rows).toEqual([{ sum: 8 }]);
});
