import { expect, test } from "vitest";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  deployAndRun,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const call = (id: string) => ({
  id,
  type: "http",
  config: { method: "POST", url: `${receiver.url}/${id}`, body: {} },
});
const answering = (text: string): void => {
  receiver.answer = (_received, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(text);
};
const set = (id: string, values: object = {}) => ({ id, type: "set", config: { values } });
const publish = (id: string) => ({
  id,
  type: "publish_event",
  config: { topic: "endurance.done", type: "done", payload: { step: id } },
});

test("a step continues if the child run has already completed, and later steps also continue", async () => {
  const child = await deployWorkflow(owner, [set("only", { said: "yes" })]);
  const nodes = [
    { id: "first", type: "subworkflow", config: { workflowId: child } },
    publish("tell"),
    { id: "second", type: "subworkflow", config: { workflowId: child } },
    publish("again"),
  ];
  const run = await deployAndRun(owner, nodes);
  expect(run.status).toBe("completed");
  expect(Object.values(stepsOf(run)).map(({ status }) => status)).toEqual(
    nodes.map(() => "completed"),
  );
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

const BRACKETS = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

test.each([
  ["a NUL", String.raw`{"text":"a\u0000b","\u0000":1}`, "object"],
  ["half a character", String.raw`["\ud800"]`, "object"],
  // Nested too deeply for our parser, so the value remains a string.
  ["200,000 brackets", BRACKETS, "string"],
])("a response with %s is requested once, and the run ends", async (_, text, kind) => {
  answering(text);
  const run = await deployAndRun(owner, [call("ask")]);
  expect([run.status, typeof run.output.body]).toEqual(["completed", kind]);
  expect(receiver.received).toHaveLength(1);
});

/** Writes to the journal of a run like another node that continued the run. */
const FROM_ELSEWHERE = `
  with run as (update runs set entries = entries + 1 where id = $1 returning *)
  insert into run_journal (workspace_id, environment, run_id, entry, records, written_at)
  select workspace_id, environment, id, entries - 1, $2, created_at from run`;
const COMPLETED = `
  select line ->> 'path' as path, line -> 'output' as output from run_journal j
   cross join jsonb_array_elements(j.records) as line
   where j.run_id = $1 and line ->> 'status' = 'completed' order by j.entry`;

test.each(["when its step ends", "while its step goes on"])(
  "a run that another node continued is loaded again at its new state, %s",
  async (moment) => {
    const gate = Promise.withResolvers<void>();
    receiver.answer = (_received, response) => void gate.promise.then(() => response.end());
    const got = "{{ steps.ask.output.theirs }}";
    const id = await deployWorkflow(owner, [call("ask"), set("after", { got })]);
    const { runId } = (await trigger(owner, id)).body.data;
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    const output = { theirs: "yes" };
    const record = { path: "ask", node: "ask", status: "completed", attempts: 1, output };
    await world.sql(FROM_ELSEWHERE, [runId, JSON.stringify([record])]);
    if (moment === "when its step ends") gate.resolve();
    const run = await waitForRun(owner, runId);
    gate.resolve();
    expect(run.status).toBe("completed");
    expect(await world.sql(COMPLETED, [runId])).toEqual([
      { path: "ask", output },
      { path: "after", output: { got: "yes" } },
    ]);
    expect(receiver.received).toHaveLength(1);
  },
);

/** Simulates a promoted standby that does not have the last journal entry. */
const LOSE_LAST = `
  with run as (update runs set entries = entries - 1 where id = $1 returning *)
  delete from run_journal j using run where j.run_id = run.id and j.entry = run.entries returning j.entry`;

test("a run that lost its last entries in the database is loaded again and completes", async () => {
  const gate = Promise.withResolvers<void>();
  receiver.answer = ({ path }, response) =>
    void (path === "/two" ? gate.promise : Promise.resolve()).then(() => response.end());
  const id = await deployWorkflow(owner, [call("one"), call("two")]);
  const { runId } = (await trigger(owner, id)).body.data;
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2);
  expect(await world.sql(LOSE_LAST, [runId])).toHaveLength(1);
  gate.resolve();
  const run = await waitForRun(owner, runId);
  expect(run.status).toBe("completed");
  expect(receiver.received.map(({ path }) => path)).toEqual(["/one", "/two", "/one", "/two"]);
});

test("a run with too many steps fails, while other runs continue", async () => {
  const items = Array.from({ length: 200 }, (_, index) => index);
  const inner = {
    id: "inner",
    type: "loop",
    config: { items, as: "one", body: { nodes: [set("step")], edges: [] } },
  };
  const outer = {
    id: "outer",
    type: "loop",
    config: { items, body: { nodes: [inner], edges: [] } },
  };
  const run = await deployAndRun(owner, [outer]);
  expect(run).toMatchObject({ status: "failed", error: { code: "too_many_steps" } });
});

test("the output of a loop has the same size limit as other outputs", async () => {
  answering(JSON.stringify("x".repeat(400_000)));
  const loop = {
    id: "each",
    type: "loop",
    config: { items: [1, 2, 3], body: { nodes: [call("ask")], edges: [] } },
  };
  const run = await deployAndRun(owner, [loop]);
  expect(run).toMatchObject({ status: "failed", error: { code: "output_too_large" } });
});

test("limits run memory for any number of iterations", async () => {
  const large = { id: "large", type: "set", config: { values: { x: "{{ trigger.input }}" } } };
  const body = { nodes: [large], edges: [] };
  const items = Array.from({ length: 200 }, (_, index) => index);
  const loop = { id: "each", type: "loop", config: { items, collect: false, body } };
  const run = await deployAndRun(owner, [loop], {}, "x".repeat(900_000));
  expect(run).toMatchObject({ status: "failed", error: { code: "run_too_large" } });
});

test("the input of a step is limited, even if it references the same value many times", async () => {
  const values = { all: Array.from({ length: 1_000 }, () => "{{ trigger.input }}") };
  const step = { id: "set", type: "set", config: { values } };
  const run = await deployAndRun(owner, [step], {}, "x".repeat(900_000));
  expect(run).toMatchObject({ status: "failed", error: { code: "input_too_large" } });
});

test("many concurrent expressions wait in the pool without errors", async () => {
  const id = await deployWorkflow(owner, [
    {
      id: "slow",
      type: "transform",
      config: { expression: "$sum($map([1..50], function($n) { $n }))" },
    },
  ]);
  const runs = await Promise.all(Array.from({ length: 150 }, () => runWorkflow(owner, id)));
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["completed"]));
});

test("a test resolves no secret", async () => {
  await owner("POST /api/v1/secrets", { name: "TOP", value: "swordfish-and-more" });
  const id = await deployWorkflow(owner, [
    { id: "spell", type: "transform", config: { expression: "$split(secrets.TOP, '')" } },
  ]);
  const { status, body } = await owner(`POST /api/v1/workflows/${id}/test`, {});
  expect(status).toBe(200);
  const spelt = stepsOf(body.data)["spell"].output as string[];
  expect(spelt.join("")).toBe("[secret TOP]");
});
