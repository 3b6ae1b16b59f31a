import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { openStream, type StreamTiming } from "./stream.ts";
import { deployWorkflow, waitForRun, trigger } from "./testing/workflows.ts";
import { runWatchOf } from "./run-watch.ts";

let release: (() => void) | undefined;
const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
await world.app.listen({ port: 0, host: "127.0.0.1" });
receiver.answer = (_received, response) => void (release = () => response.end("ok"));
beforeEach(() => {
  release = undefined;
});

const call = () => ({
  id: "call",
  type: "http",
  config: { method: "POST", url: `${receiver.url}/x`, body: {} },
});

interface Frame {
  readonly event: string;
  readonly data: any;
}

/** Opens a stream over a real connection, like a client. */
async function listen(runId: string) {
  const address = world.app.server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/runs/${runId}/stream`, {
    headers: { authorization: `Bearer ${owner.token}`, "x-workspace": "default" },
  });
  const frames: Frame[] = [];
  const ended = (async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
        if (event && data) frames.push({ event, data: JSON.parse(data) });
      }
    }
  })();
  return { response, frames, ended };
}

const told = (frames: readonly Frame[]) =>
  frames.map(
    ({ event, data }) => `${event} ${event === "step" ? `${data.id} ` : ""}${data.status}`,
  );

test("a listener receives the current run, then each change, and the end", async () => {
  const id = await deployWorkflow(owner, [
    call(),
    { id: "ask", type: "approval", config: { approvers: ["owner"] } },
    { id: "last", type: "set", config: { values: { done: true } } },
  ]);
  const { body } = await trigger(owner, id);
  const { runId } = body.data;
  await until(async () => release !== undefined);
  const { response, frames, ended } = await listen(runId);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await until(async () => frames.length === 1);
  expect(frames[0]?.data).toMatchObject({
    id: runId,
    status: "running",
    trace: { steps: [{ id: "call", status: "running" }], truncated: false },
  });
  release?.();
  await until(async () => frames.some(({ data }) => data.status === "paused"));
  await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true });
  await ended;
  expect(told(frames)).toEqual(
    expect.arrayContaining([
      "step call completed",
      "step ask paused",
      "run paused",
      "step ask completed",
      "step last completed",
    ]),
  );
  expect(frames.at(-1)).toMatchObject({
    event: "run",
    data: { status: "completed", output: { done: true } },
  });
  expect(runWatchOf(world.kernel).size).toEqual({ listened: 0, followed: 0 });
});

test("a stream of an ended run contains the state and the end", async () => {
  const { body } = await trigger(
    owner,
    await deployWorkflow(owner, [{ id: "one", type: "set", config: { values: {} } }]),
  );
  const { frames, ended } = await listen(body.data.runId);
  await ended;
  expect(told(frames)).toEqual(["run completed"]);
});

test("steps known only from the journal are sent too, to all listeners", async () => {
  const items = [1, 2, 3];
  const loop = { nodes: [call()], edges: [] };
  const { body } = await trigger(
    owner,
    await deployWorkflow(owner, [{ id: "each", type: "loop", config: { items, body: loop } }]),
  );
  const listeners = await Promise.all([listen(body.data.runId), listen(body.data.runId)]);
  for (const index of items.keys()) {
    await until(async () => release !== undefined);
    const answer = release;
    release = undefined;
    answer?.();
    const step = `step each[${index}].call completed`;
    for (const { frames } of listeners) await until(async () => told(frames).includes(step));
  }
  await Promise.all(listeners.map(({ ended }) => ended));
  await waitForRun(owner, body.data.runId);
});

test("a stream sends heartbeats and stops at the time limit or on client disconnect", async () => {
  const { body } = await trigger(
    owner,
    await deployWorkflow(owner, [{ id: "sleep", type: "delay", config: { ms: 3_600_000 } }]),
  );
  const gone = new AbortController();
  const workspace = { key: world.home, id: "" };
  const caller = {
    workspace,
    environment: "production",
    disconnected: gone.signal,
    permissions: new Set(),
    actor: { id: "" },
  } as never;
  const open = (pace: StreamTiming) => openStream(world.kernel, caller, body.data.runId, { pace });
  const pieces: string[] = [];
  for await (const piece of await open({ heartbeatMs: 1, lastsMs: 60_000 })) {
    pieces.push(piece);
    if (piece === ":\n\n") break;
  }
  expect(pieces[0]).toBe("retry: 1000\n\n");
  expect(pieces[1]).toMatch(/^event: run\ndata: \{/);
  const short: string[] = [];
  for await (const piece of await open({ heartbeatMs: 60_000, lastsMs: 1 })) short.push(piece);
  expect(short.slice(0, 2)).toEqual(pieces.slice(0, 2));
  for await (const piece of await open({ heartbeatMs: 60_000, lastsMs: 60_000 })) {
    if (piece.startsWith("event: run")) gone.abort();
  }
  expect(runWatchOf(world.kernel).size).toEqual({ listened: 0, followed: 0 });
});
