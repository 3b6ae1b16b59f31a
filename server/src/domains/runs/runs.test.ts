import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ask, startWorld, type World } from "#kernel/testing/world.ts";
import { deployed, trigger } from "./testing/workflows.ts";

let world: World;
let owner: Ask;
beforeAll(async () => {
  world = await startWorld({ work: true });
  owner = await world.member(["owner"]);
});
afterAll(() => world[Symbol.asyncDispose]());

test("a run that only computes is over when it is answered", async () => {
  const id = await deployed(owner, [
    { id: "sum", type: "transform", config: { expression: "trigger.input.a + trigger.input.b" } },
    { id: "answer", type: "respond", config: { body: { sum: "{{ steps.sum.output }}" } } },
  ]);
  const { status, body, events, headers } = await trigger(owner, id, { a: 1, b: 2 }, "?wait=5000");
  expect({ status, events }).toEqual({
    status: 200,
    events: ["workflow.run_started", "workflow.run_completed"],
  });
  expect(body.data).toMatchObject({
    workflowId: id,
    status: "completed",
    output: { status: 200, body: { sum: 3 } },
  });
  expect(headers["location"]).toBe(`/api/v1/runs/${body.data.runId}`);
  const { body: run } = await owner(`GET /api/v1/runs/${body.data.runId}`);
  expect(run.data.trace.steps).toMatchObject([
    { id: "sum", status: "completed", output: 3, attempts: 1 },
    { id: "answer", status: "completed" },
  ]);
  const list = await owner(`GET /api/v1/runs?workflowId=${id}&status=completed`);
  expect(list.body.data).toMatchObject([{ id: body.data.runId, version: 1 }]);
});
