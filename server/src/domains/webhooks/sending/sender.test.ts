import { expect, test } from "vitest";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "../testing/receiver.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

let count = 0;
const fresh = (): string => {
  count += 1;
  return `hook${count}`;
};
const hook = async (name: string, more: object = {}) => {
  const { status, body } = await owner("POST /api/v1/webhooks", {
    name,
    url: `${receiver.url}/${name}`,
    events: ["note.*"],
    filter: { "data.title": { startsWith: name } },
    ...more,
  });
  expect(status).toBe(201);
  return body.data.id as string;
};
const write = async (title: string, body = "") =>
  (await owner("POST /api/v1/notes", { title, body })).body.data;
const of = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`);
const deliveriesOf = async (id: string) =>
  (await owner(`GET /api/v1/webhooks/${id}/deliveries`)).body.data;
const settled = (id: string, status: string, least = 1) =>
  until(async () => {
    const all = await deliveriesOf(id);
    return all.length >= least && all.every((one: any) => one.status === status) && all;
  });

test("an event is sent, signed, to all matching webhooks", async () => {
  const name = fresh();
  const id = await hook(name, { secret: "between us" });
  const note = await write(`${name} one`);
  await until(async () => of(name).length === 1);
  const [got] = of(name);
  expect(Object.keys(got?.body)).toEqual([
    "id",
    "webhook_id",
    "event",
    "timestamp",
    "workspace_id",
    "data",
  ]);
  expect(got?.body).toMatchObject({
    webhook_id: id,
    event: "note.created",
    data: { id: note.id, title: `${name} one` },
  });
  expect(got?.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-delivery": got?.body.id,
    "x-service-event": "note.created",
    "x-service-signature-256": expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    "webhook-id": got?.body.id,
  });
  const [delivery] = await settled(id, "succeeded");
  expect(delivery).toMatchObject({
    id: got?.body.id,
    eventType: "note.created",
    attempts: 1,
    lastResponseStatus: 200,
  });
});

test("a change event delivers the entire current resource", async () => {
  const name = fresh();
  await hook(name, { events: ["note.updated"], filter: { changes: { contains: "title" } } });
  const note = await write(`${name} before`);
  await owner(`PATCH /api/v1/notes/${note.id}`, { title: `${name} after` });
  await until(async () => of(name).length === 1);
  expect(of(name)[0]?.body.data).toMatchObject({ id: note.id, title: `${name} after` });
});

test("an event older than the webhook is not delivered, even if it is fanned out later", async () => {
  const name = fresh();
  await write(`${name} early`);
  await hook(name);
  await write(`${name} late`);
  await until(async () => of(name).length === 1);
  expect(of(name)[0]?.body.data.title).toBe(`${name} late`);
});

test("a failure is retried with the same id and body", async () => {
  const name = fresh();
  let failures = 0;
  receiver.answer = ({ path }, response) => {
    const fails = path === `/${name}` && failures < 2;
    if (fails) failures += 1;
    response.writeHead(fails ? 500 : 204).end(fails ? "not now" : "");
  };
  const id = await hook(name, { retries: 3, secret: "s" });
  await write(`${name} one`);
  await until(async () => of(name).length === 1);
  const [waiting] = await settled(id, "retrying");
  expect(waiting).toMatchObject({ lastResponseStatus: 500, lastResponseBody: "not now" });
  world.clock.advance(3_000);
  await until(async () => (await deliveriesOf(id))[0].attempts === 2);
  world.clock.advance(6_000);
  const [delivery] = await settled(id, "succeeded");
  expect(delivery).toMatchObject({ attempts: 3, lastResponseStatus: 204 });
  expect(new Set(of(name).map(({ text }) => text)).size).toBe(1);
  expect(new Set(of(name).map(({ headers }) => headers["x-service-delivery"])).size).toBe(1);
});

test("five consecutive failed deliveries pause a webhook, and its admins are notified", async () => {
  const name = fresh();
  receiver.answer = ({ path }, response) =>
    void response.writeHead(path === `/${name}` ? 503 : 200).end();
  const id = await hook(name, { retries: 0 });
  for (let index = 0; index < 4; index += 1) await write(`${name} ${index}`);
  await settled(id, "failed", 4);
  expect((await owner(`GET /api/v1/webhooks/${id}`)).body.data).toMatchObject({
    status: "active",
    consecutiveFailures: 4,
  });
  await write(`${name} 4`);
  await settled(id, "failed", 5);
  const paused = await until(async () => {
    const { data } = (await owner(`GET /api/v1/webhooks/${id}`)).body;
    return data.status === "paused" && data;
  });
  expect(paused).toMatchObject({ pausedBecause: "failures", consecutiveFailures: 5 });
  const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&limit=100`);
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
    "webhook.paused",
    ...Array.from({ length: 5 }, () => "webhook.delivery_failed"),
    "webhook.created",
  ]);
  await until(async () => {
    const inbox = (await owner("GET /api/v1/notifications")).body.data;
    return inbox.some((one: any) => one.resource?.id === id);
  });
  // No further deliveries are queued for it.
  await write(`${name} 5`);
  receiver.answer = (_received, response) => void response.end();
  const other = fresh();
  await hook(other);
  await write(`${other} one`);
  await until(async () => of(other).length === 1);
  expect(of(name)).toHaveLength(5);
});

test("a success resets the failure count", async () => {
  const name = fresh();
  receiver.answer = ({ body, path }, response) => {
    const fails = path === `/${name}` && body.data.body === "fail";
    response.writeHead(fails ? 500 : 200).end();
  };
  const id = await hook(name, { retries: 0 });
  for (const body of ["fail", "fail", "fail", "fail", "well", "fail", "fail", "fail", "fail"]) {
    const before = of(name).length;
    await write(`${name} ${before}`, body);
    await until(async () => of(name).length === before + 1);
    await until(async () =>
      (await deliveriesOf(id)).every(({ status }: any) => status.endsWith("ed")),
    );
  }
  const { data } = (await owner(`GET /api/v1/webhooks/${id}`)).body;
  expect(data).toMatchObject({ status: "active", consecutiveFailures: 4 });
});

test("a 410 pauses immediately", async () => {
  const name = fresh();
  receiver.answer = ({ path }, response) =>
    void response.writeHead(path === `/${name}` ? 410 : 200).end();
  const id = await hook(name, { retries: 5 });
  await write(`${name} one`);
  await until(async () => {
    const { data } = (await owner(`GET /api/v1/webhooks/${id}`)).body;
    return data.pausedBecause === "gone";
  });
  expect(await deliveriesOf(id)).toMatchObject([{ status: "failed", attempts: 1 }]);
});

test("Retry-After of a 503 applies to all deliveries of the webhook", async () => {
  const name = fresh();
  let asked = false;
  receiver.answer = ({ path }, response) => {
    if (path !== `/${name}` || asked) return void response.end();
    asked = true;
    response.writeHead(503, { "retry-after": "120" }).end();
  };
  const id = await hook(name, { retries: 3 });
  await write(`${name} one`);
  const [first] = await settled(id, "retrying");
  expect(Date.parse(first.nextAttemptAt) - Date.parse(first.lastAttemptAt)).toBeGreaterThanOrEqual(
    120_000,
  );
  await write(`${name} two`);
  await until(async () => (await deliveriesOf(id)).length === 2);
  world.clock.advance(60_000);
  const witness = fresh();
  await hook(witness);
  await write(`${witness} one`);
  await until(async () => of(witness).length === 1);
  expect(of(name)).toHaveLength(1);
  world.clock.advance(61_000);
  await settled(id, "succeeded", 2);
});

test("events of one resource are delivered in order while nothing fails", async () => {
  const name = fresh();
  receiver.answer = (_received, response) => void setImmediate(() => response.end());
  await hook(name);
  const notes = await Promise.all(Array.from({ length: 8 }, (_, n) => write(`${name} ${n}`)));
  await Promise.all(
    notes.map(async ({ id }) => {
      for (let step = 1; step <= 10; step += 1) {
        await owner(`PATCH /api/v1/notes/${id}`, { body: String(step) });
      }
    }),
  );
  await until(async () => of(name).length === 88);
  for (const { id } of notes) {
    const steps = of(name).filter(({ body }) => body.data.id === id);
    expect(steps.map(({ body }) => body.data.body)).toEqual([
      "",
      ...Array.from({ length: 10 }, (_, step) => String(step + 1)),
    ]);
  }
});

test("a change of a webhook applies from its next attempt", async () => {
  const name = fresh();
  receiver.answer = (_received, response) => void response.end();
  const id = await hook(name);
  await write(`${name} one`);
  await until(async () => of(name).length === 1);
  await owner(`PATCH /api/v1/webhooks/${id}`, { url: `${receiver.url}/${name}-moved` });
  await write(`${name} two`);
  await until(async () => of(`${name}-moved`).length === 1);
  expect(of(name)).toHaveLength(1);
});

test("cloudevents", async () => {
  const name = fresh();
  await hook(name, { format: "cloudevents" });
  const note = await write(`${name} one`);
  await until(async () => of(name).length === 1);
  const [got] = of(name);
  expect(got?.headers["content-type"]).toBe("application/cloudevents+json");
  expect(got?.body).toMatchObject({
    specversion: "1.0",
    id: expect.stringMatching(/^evt_/),
    source: expect.stringMatching(/^\/workspaces\/ws_.*\/production$/),
    type: "note.created",
    subject: `note/${note.id}`,
    datacontenttype: "application/json",
    data: { title: `${name} one` },
  });
});

test("environments", async () => {
  const name = fresh();
  await hook(name, { environments: ["staging"] });
  await write(`${name} production`);
  await owner(
    "POST /api/v1/notes",
    { title: `${name} staging`, body: "" },
    { "x-environment": "staging" },
  );
  await until(async () => of(name).length === 1);
  expect(of(name)[0]?.body.data.title).toBe(`${name} staging`);
});
