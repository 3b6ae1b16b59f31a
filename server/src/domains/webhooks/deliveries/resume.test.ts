import { expect, test } from "vitest";
import { eventIdOf } from "#kernel/log/event.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "../testing/receiver.ts";
import * as testing from "../testing/deliveries.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const hook = (name: string, more: object = {}) => testing.hook(owner, receiver, name, more);
const arrived = (name: string) =>
  testing.arrived(receiver, name).map(({ body }) => body.data.title as string);
const caughtUp = (id: string) => testing.caughtUp(world, id);
const pause = (id: string) => owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
const resume = (id: string, from: string) => owner(`POST /api/v1/webhooks/${id}/resume`, { from });

async function write(title: string): Promise<string> {
  const { status, headers } = await owner("POST /api/v1/notes", { title, body: "" });
  expect(status).toBe(201);
  const [row] = await world.sql("select epoch, xid, seq from events where request_id = $1", [
    headers["x-request-id"],
  ]);
  return eventIdOf({ epoch: row.epoch, xid: Number(row.xid), seq: Number(row.seq) });
}

test("resuming from now skips events during the pause", async () => {
  const id = await hook("leaping");
  await write("leaping 1");
  await until(async () => arrived("leaping").length === 1);
  await pause(id);
  await write("leaping 2");
  const resumed = await resume(id, "now");
  expect(resumed).toMatchObject({
    status: 200,
    body: { data: { status: "active", catchingUp: false } },
    events: ["webhook.resumed"],
  });
  const [last] = (await owner(`GET /api/v1/audit?limit=1&resourceId=${id}`)).body.data;
  expect(last).toMatchObject({ type: "webhook.resumed", data: { id, from: "now" } });
  await write("leaping 3");
  await until(async () => arrived("leaping").length === 2);
  await caughtUp(id);
  expect(arrived("leaping")).toEqual(["leaping 1", "leaping 3"]);
});

test("from an event on: that event is the first, even if it precedes the webhook", async () => {
  await write("returning 1");
  const second = await write("returning 2");
  await write("returning 3");
  const id = await hook("returning");
  await write("returning 4");
  await until(async () => arrived("returning").length === 1);
  await pause(id);
  await write("returning 5");
  expect((await resume(id, second)).events).toEqual(["webhook.resumed"]);
  await caughtUp(id);
  await write("returning 6");
  await until(async () => arrived("returning").length === 5);
  // Events delivered earlier are not delivered again.
  const titles = arrived("returning").map((title) => title.slice(-1));
  expect([titles[0], titles.slice(1, 4).toSorted(), titles[4]]).toEqual([
    "4",
    ["2", "3", "5"],
    "6",
  ]);

  // Resume from the same event again: all have been delivered.
  await pause(id);
  await resume(id, second);
  await caughtUp(id);
  await write("returning 7");
  await until(async () => arrived("returning").length === 6);
  expect(arrived("returning").at(-1)).toBe("returning 7");
});

test("an event that is not fanned out yet is a valid starting point", async () => {
  const id = await hook("abreast");
  await pause(id);
  await write("abreast 1");
  const { release } = await world.unsettle();
  try {
    expect((await resume(id, await write("abreast 2"))).status).toBe(200);
  } finally {
    await release();
  }
  await caughtUp(id);
  await write("abreast 3");
  await until(async () => arrived("abreast").length === 2);
  expect(arrived("abreast")).toEqual(["abreast 2", "abreast 3"]);
});

test("does not lose events that settle after a pause or during the next pause", async () => {
  const id = await hook("behind");
  const later = await hook("later", { filter: { "data.title": { startsWith: "behind" } } });
  const fresh = await hook("fresh", {
    status: "paused",
    filter: { "data.title": { startsWith: "behind" } },
  });
  await Promise.all([pause(id), pause(later)]);
  // The fan-out reader does not advance beyond this open transaction.
  const { release } = await world.unsettle();
  try {
    await write("behind 1");
    for (const one of [id, later, fresh]) {
      expect((await resume(one, "pausedAt")).body.data.catchingUp).toBe(true);
    }
    // All three have reached the reader's cursor, which precedes the event.
    await until(async () => {
      const { body } = await owner("GET /api/v1/webhooks?limit=200");
      return body.data.every(({ catchingUp }: any) => catchingUp === false);
    });
    const made = "select from deliveries where webhook_id = any($1)";
    expect(await world.sql(made, [[id, later, fresh]])).toEqual([]);
    await pause(later);
    await write("behind 2");
  } finally {
    await release();
  }
  await Promise.all([id, fresh].map(caughtUp));
  expect(arrived("later")).toEqual([]);
  await resume(later, "pausedAt");
  await caughtUp(later);
  for (const name of ["behind", "fresh", "later"]) {
    expect(arrived(name).toSorted(), name).toEqual(["behind 1", "behind 2"]);
  }
});

test("resuming from now skips unsettled events, although they are read later", async () => {
  const id = await hook("moving");
  await pause(id);
  const { release } = await world.unsettle();
  try {
    await write("moving 1");
    await resume(id, "now");
    await write("moving 2");
  } finally {
    await release();
  }
  await caughtUp(id);
  expect(arrived("moving")).toEqual(["moving 2"]);
});

test("only a paused webhook can be resumed, and only from a past position", async () => {
  const id = await hook("refused");
  const active = await resume(id, "pausedAt");
  expect(active).toMatchObject({ status: 409, body: { code: "webhook_not_paused" }, events: [] });
  await pause(id);
  const ahead = [
    eventIdOf({ epoch: 1, xid: 2 ** 40, seq: 1 }),
    eventIdOf({ epoch: 2, xid: 1, seq: 1 }),
  ];
  for (const from of [...ahead, "evt_1", "then", ""]) {
    expect(await resume(id, from)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/from" }] },
      events: [],
    });
  }
  const stale = await owner(
    `POST /api/v1/webhooks/${id}/resume`,
    { from: "now" },
    { "if-match": '"1"' },
  );
  expect(stale).toMatchObject({ status: 412, events: [] });
});
