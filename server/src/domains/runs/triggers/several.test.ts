import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { publish } from "../testing/triggers.ts";
import { deployWorkflow } from "../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const { stranger } = world;

const step = (id: string) => ({ id, type: "transform", config: { expression: `"${id}"` } });
const nodes = [step("ask"), step("call"), step("both")];
const edges = [
  { from: "ask", to: "both" },
  { from: "call", to: "both" },
];
const triggers = {
  trigger: { type: "webhook", id: "orders", start: ["call"] },
  triggers: [
    { type: "webhook", id: "refunds", start: ["both"] },
    { type: "manual", id: "hand", start: ["ask"] },
    { type: "schedule", id: "daily", cron: "0 7 * * *" },
    { type: "schedule", id: "nightly", cron: "0 2 * * *", start: ["ask", "call"] },
    { type: "event_bus", id: "paid", topic: "payments", eventType: "order.*", start: ["both"] },
    { type: "event_bus", id: "late", topic: "payments", eventType: "late.*" },
  ],
};

async function stepsOf(runId: string): Promise<unknown> {
  const { data } = (await owner(`GET /api/v1/runs/${runId}`)).body;
  const steps = data.trace.steps.map((one: any) => [one.id, one.status]);
  return [data.triggerType, data.triggerId, Object.fromEntries(steps)];
}

test("each trigger starts runs at its own nodes, and the run names its trigger", async () => {
  const id = await deployWorkflow(owner, nodes, { edges, ...triggers });
  const { data: workflow } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const [hook, refunds] = [workflow.trigger.url, workflow.triggers[0].url].map(
    (url) => new URL(url).pathname,
  );
  expect(refunds).toBe(`${hook?.replace("/hooks/", "/inbound/")}/refunds`);
  expect(workflow.triggers[1].url).toBeUndefined();
  const started = await stranger(`POST ${hook}`, {});
  expect(started.events).toEqual(["workflow.run_started", "workflow.run_completed"]);
  expect(await stepsOf(started.body.data.runId)).toEqual([
    "webhook",
    "orders",
    { ask: "skipped", call: "completed", both: "completed" },
  ]);
  expect(await stepsOf((await stranger(`POST ${refunds}`, {})).body.data.runId)).toEqual([
    "webhook",
    "refunds",
    { ask: "skipped", call: "skipped", both: "completed" },
  ]);
  expect((await stranger(`POST ${refunds?.replace("refunds", "paid")}`, {})).status).toBe(404);
  const byHand = await owner(`POST /api/v1/workflows/${id}/trigger`, {});
  expect(await stepsOf(byHand.body.data.runId)).toMatchObject([
    "manual",
    "hand",
    { call: "skipped" },
  ]);
  const chosen = await owner(`POST /api/v1/workflows/${id}/trigger`, { triggerId: "daily" });
  expect(await stepsOf(chosen.body.data.runId)).toEqual([
    "manual",
    "daily",
    { ask: "completed", call: "completed", both: "completed" },
  ]);
  const unknown = await owner(`POST /api/v1/workflows/${id}/trigger`, { triggerId: "zzz" });
  expect([unknown.status, unknown.events]).toEqual([422, []]);
});

test("events and times start runs of the matching trigger", async () => {
  const id = await deployWorkflow(owner, nodes, { edges, ...triggers });
  await publish(owner, "payments", { type: "order.paid" });
  await publish(owner, "payments", { type: "late.fee" });
  const runs = async () => (await owner(`GET /api/v1/workflows/${id}/runs`)).body.data;
  await expect.poll(async () => (await runs()).length, { timeout: 10_000 }).toBe(2);
  expect((await runs()).map(({ triggerId }: any) => triggerId).toSorted()).toEqual([
    "late",
    "paid",
  ]);
  const { data } = (await owner(`GET /api/v1/workflows/${id}/triggers`)).body;
  const [production] = data.environments;
  expect(production.triggers.map((one: any) => [one.id, one.nextTimes.length])).toEqual([
    ["orders", 0],
    ["refunds", 0],
    ["hand", 0],
    ["daily", 5],
    ["nightly", 5],
    ["paid", 0],
    ["late", 0],
  ]);
  expect(production.triggers[5].lastRun).toMatchObject({ triggerType: "event_bus" });
  expect(production.trigger).toMatchObject({ id: "orders" });
});

test("triggers need unique ids and existing start nodes", async () => {
  const refused = await owner("POST /api/v1/workflows", {
    name: "Two",
    nodes,
    edges,
    trigger: { type: "manual" },
    triggers: [
      { type: "manual" },
      { type: "webhook", id: "trigger" },
      { type: "schedule", id: "x", cron: "nonsense", start: ["gone"] },
    ],
  });
  expect(refused.status).toBe(422);
  expect(refused.body.errors.map(({ path }: any) => path)).toEqual([
    "/triggers/0/id",
    "/triggers/1/id",
    "/triggers/2/cron",
    "/triggers/2/start/0",
  ]);
});
