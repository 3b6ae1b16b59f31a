import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, trigger } from "../testing/workflows.ts";
import { waitUntilIdle, pauseTriggerReader, publish, readEventTypes } from "../testing/triggers.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

/** Starts one waiting run per order, and resolves when all of them wait. */
async function waitingFor(config: object, orders: readonly number[]): Promise<string[]> {
  const id = await deployWorkflow(owner, [{ id: "wait", type: "wait_for_event", config }]);
  const runIds: string[] = [];
  for (const order of orders) runIds.push((await trigger(owner, id, { order })).body.data.runId);
  return runIds;
}

const runOf = async (runId: string): Promise<any> =>
  (await owner(`GET /api/v1/runs/${runId}`)).body.data;
const over = (runId: string) =>
  until(async () => {
    const run = await runOf(runId);
    return ["completed", "failed"].includes(run.status) && run;
  });
const waits = async (): Promise<number> =>
  (await world.sql("select count(*)::int as n from run_waits"))[0].n;

test("each run receives its own event and continues with it", async () => {
  const filter = { "data.order": "{{ trigger.input.order }}" };
  const config = { topic: "shipping", eventType: "order.*", filter };
  const [first = "", second = "", third = ""] = await waitingFor(config, [1, 2, 3]);
  await publish(owner, "shipping", { type: "order.packed", payload: { order: 9 } });
  await publish(owner, "shipping", { type: "refund", payload: { order: 1 } });
  const eventId = await publish(owner, "shipping", { type: "order.sent", payload: { order: 2 } });
  expect((await over(second)).output).toMatchObject({ id: eventId, data: { order: 2 } });
  expect(await readEventTypes(world, [second])).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  await waitUntilIdle(world);
  expect([(await runOf(first)).status, (await runOf(third)).status]).toEqual([
    "waiting",
    "waiting",
  ]);
  expect(await waits()).toBe(2);
  await publish(owner, "shipping", { type: "order.sent", payload: { order: 3 } });
  await publish(owner, "shipping", { type: "order.sent", payload: { order: 1 } });
  expect((await over(first)).output.data).toEqual({ order: 1 });
  expect((await over(third)).output.data).toEqual({ order: 3 });
  expect(await waits()).toBe(0);
});

test("an event resumes all matching waits, and a second event has no effect", async () => {
  const runIds = await waitingFor({ topic: "all" }, [1, 2, 3]);
  const release = await pauseTriggerReader(world);
  const first = await publish(owner, "all", { type: "go" });
  await publish(owner, "all", { type: "go" });
  await release();
  for (const runId of runIds) expect((await over(runId)).output.id).toBe(first);
  await waitUntilIdle(world);
  expect(await waits()).toBe(0);
});

test("an event before the wait does not end it, also if it is read later", async () => {
  const release = await pauseTriggerReader(world);
  await publish(owner, "past", { type: "early" });
  const [runId = ""] = await waitingFor({ topic: "past" }, [1]);
  const eventId = await publish(owner, "past", { type: "late" });
  await release();
  expect((await over(runId)).output.id).toBe(eventId);
});

test("platform events end a wait too, in the environment of the run", async () => {
  const [runId = ""] = await waitingFor(
    { topic: "note", filter: { "data.title": "Awaited" } },
    [1],
  );
  const note = { title: "Awaited", body: "" };
  await owner("POST /api/v1/notes", note, { "x-environment": "staging" });
  const { body } = await owner("POST /api/v1/notes", note);
  expect((await over(runId)).output).toMatchObject({ type: "note.created", data: body.data });
});

test("a wait that times out fails the step, which receives no events afterwards", async () => {
  const [runId = ""] = await waitingFor({ topic: "vain", timeoutMs: 60_000 }, [1]);
  world.clock.advance(61_000);
  expect(await over(runId)).toMatchObject({ status: "failed", error: { code: "wait_expired" } });
  expect(await waits()).toBe(0);
  await publish(owner, "vain", { type: "late" });
  await waitUntilIdle(world);
  expect((await runOf(runId)).status).toBe("failed");
});

test("an invalid templated filter fails only that step", async () => {
  const filter = { "data.order": "{{ trigger.input.order }}" };
  const id = await deployWorkflow(owner, [
    { id: "wait", type: "wait_for_event", config: { topic: "nonsense", filter } },
  ]);
  const { body } = await trigger(owner, id, { order: { unheard: "of" } });
  expect(await over(body.data.runId)).toMatchObject({
    status: "failed",
    error: { code: "invalid_config" },
  });
});

test("audit log events end no wait of users who cannot read the audit log", async () => {
  const builder = await world.member(["builder"]);
  const config = { topic: "platform.events", eventType: "audit.secret.created" };
  const nodes = [{ id: "wait", type: "wait_for_event", config }];
  const runs: string[] = [];
  for (const by of [builder, owner]) {
    runs.push((await trigger(by, await deployWorkflow(by, nodes))).body.data.runId);
  }
  const [hidden = "", seen = ""] = runs;
  await owner("POST /api/v1/secrets", { name: "AWAITED", value: "quite secret" });
  expect(await over(seen)).toMatchObject({ status: "completed" });
  expect((await runOf(hidden)).status).toBe("waiting");
});
