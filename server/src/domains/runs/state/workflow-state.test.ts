import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, runWorkflow, stepsOf } from "../testing/workflows.ts";
import { applyChange, type StateChange, type StateEntry } from "./workflow-state.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const viewer = await world.member(["viewer"]);

const change = (id: string, body: object, headers = {}) =>
  owner(`POST /api/v1/workflows/${id}/state`, body, headers);

test("concurrent runs share a counter, and each sees the values of earlier runs", async () => {
  const id = await deployWorkflow(owner, [
    { id: "count", type: "state", config: { action: "increment", key: "runs" } },
    {
      id: "note",
      type: "state",
      config: { action: "append", key: "seen", value: "{{ trigger.input }}", keepLast: 3 },
    },
    { id: "read", type: "state", config: { action: "get", key: "seen" } },
  ]);
  const runs = await Promise.all([1, 2, 3, 4].map((input) => runWorkflow(owner, id, input)));
  const counts = runs.map((run) => stepsOf(run)["count"].output.value);
  expect(counts.toSorted()).toEqual([1, 2, 3, 4]);
  const last = await runWorkflow(owner, id, 5);
  const { read } = stepsOf(last);
  expect([read.output.value.length, read.output.value.at(-1), read.output.revision]).toEqual([
    3, 5, 5,
  ]);
  const { body } = await owner(`GET /api/v1/workflows/${id}/state?limit=1`);
  expect(body.data).toEqual([
    { key: "runs", value: 5, revision: 5, updatedAt: expect.any(String) },
  ]);
  const rest = await owner(`GET /api/v1/workflows/${id}/state?after=${body.pagination.nextCursor}`);
  expect(rest.body.data.map(({ key }: any) => key)).toEqual(["seen"]);
  expect((await viewer(`GET /api/v1/workflows/${id}/state`)).status).toBe(403);
  const there = { "x-environment": "staging" };
  expect((await owner(`GET /api/v1/workflows/${id}/state`, undefined, there)).body.data).toEqual(
    [],
  );
});

test("a change with a failed expectation or an invalid value changes nothing", async () => {
  const id = await deployWorkflow(owner, [{ id: "a", type: "set", config: { values: {} } }]);
  const first = await change(id, {
    action: "set",
    key: "cursor",
    value: { at: 1 },
    expected: null,
  });
  expect([first.status, first.events]).toEqual([200, ["workflow.state_changed"]]);
  const again = await change(id, { action: "set", key: "cursor", value: 2, expected: null });
  expect([again.status, again.body.code, again.events]).toEqual([409, "state_conflict", []]);
  const wrong = await change(id, { action: "increment", key: "cursor" });
  expect([wrong.status, wrong.body.code]).toEqual([409, "state_conflict"]);
  await change(id, { action: "set", key: "most", value: 1e308 });
  const endless = await change(id, { action: "increment", key: "most", by: 1e308 });
  expect([endless.status, endless.body.code, endless.events]).toEqual([409, "state_conflict", []]);
  const next = { action: "set", key: "cursor", value: { at: 2 }, expected: { at: 1 } };
  expect((await change(id, next)).body.data).toMatchObject({ value: { at: 2 }, revision: 2 });
  const large = await change(id, { action: "set", key: "big", value: "x".repeat(262_145) });
  expect([large.status, large.body.code]).toEqual([409, "too_much_state"]);
  const none = await change(id, { action: "append", key: "list" });
  expect([none.status, none.body.errors[0].path]).toEqual([422, "/value"]);
  expect((await change(id, { action: "delete", key: "cursor" })).events).toEqual([
    "workflow.state_changed",
  ]);
  expect((await change(id, { action: "delete", key: "cursor" })).events).toEqual([]);
  const gone = await owner(`GET /api/v1/workflows/${id}/state/cursor`);
  expect(gone.body.data).toEqual({ key: "cursor", value: null, revision: 0, updatedAt: null });
  expect((await change("wf_01jd0000000000000000000000", next)).status).toBe(404);
});

test("list changes give the same result as a plain array", () => {
  const entry = (value: unknown): StateEntry => ({
    key: "k",
    value,
    revision: value === null ? 0 : 1,
    updatedAt: null,
  });
  let value: unknown = null;
  let plain: number[] = [];
  for (let at = 0; at < 50; at += 1) {
    const keepLast = (at % 7) + 1;
    const made: StateChange = { action: "append", key: "k", value: at, keepLast };
    value = applyChange(entry(value), made);
    plain = [...plain, at].slice(-keepLast);
    expect(value).toEqual(plain);
  }
});
