import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "../testing/receiver.ts";
import * as testing from "../testing/deliveries.ts";

/** The names of webhooks whose endpoint is broken now. */
const broken = new Set<string>();

const receiver = await useFixture(startReceiver());
receiver.answer = ({ path: target }, response) => {
  const fails = broken.has(target.slice(1));
  response.writeHead(fails ? 500 : 200).end(fails ? "Broken" : "Thanks");
};
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const path = (id: string, rest = "") => `/api/v1/webhooks/${id}/deliveries${rest}`;
const hook = (name: string, more: object = {}) => testing.hook(owner, receiver, name, more);
const arrived = (name: string) => testing.arrived(receiver, name);
const write = async (title: string, headers = {}) =>
  (await owner("POST /api/v1/notes", { title, body: "" }, headers)).body.data.id as string;

/** The deliveries of a webhook, when there are this many and all have finished. */
function over(id: string, count: number, headers = {}): Promise<any[]> {
  return until(async () => {
    const { body } = await owner(`GET ${path(id)}`, undefined, headers);
    const open = body.data.some(({ nextAttemptAt }: any) => nextAttemptAt !== null);
    return body.data.length === count && !open && body.data;
  });
}

test("deliveries are listed newest first, page by page, by status and by environment", async () => {
  const id = await hook("listed");
  for (const n of [1, 2, 3]) await write(`listed ${n}`);
  const well = await over(id, 3);
  broken.add("listed");
  for (const n of [4, 5]) await write(`listed ${n}`);
  await over(id, 5);
  await write("listed elsewhere", { "x-environment": "staging" });
  await over(id, 1, { "x-environment": "staging" });

  const all: any[] = [];
  let after = "";
  do {
    const { body } = await owner(`GET ${path(id)}?limit=2${after}`);
    all.push(...body.data);
    after = body.pagination.hasMore ? `&after=${body.pagination.nextCursor}` : "";
  } while (after !== "");
  expect(all.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 2 }, () => "failed"),
    ...Array.from({ length: 3 }, () => "succeeded"),
  ]);
  expect(all.map((one) => one.id)).toEqual(
    all
      .map((one) => one.id)
      .toSorted()
      .toReversed(),
  );
  expect(all.slice(2)).toEqual(well);
  expect(all[4]).toEqual({
    id: expect.stringMatching(/^dlv_/),
    webhookId: id,
    eventId: `evt_${all[4].id.slice(4, 26)}`,
    eventType: "note.created",
    url: `${receiver.url}/listed`,
    status: "succeeded",
    attempts: 1,
    lastAttemptAt: expect.any(String),
    lastResponseStatus: 200,
    lastResponseBody: "Thanks",
    lastDurationMs: expect.any(Number),
    lastError: null,
    nextAttemptAt: null,
    replayOf: null,
    createdAt: expect.any(String),
  });
  const count = async (status: string) =>
    (await owner(`GET ${path(id)}?status=${status}`)).body.data.length;
  expect(await count("failed")).toBe(2);
  expect(await count("succeeded")).toBe(3);
  expect(await count("pending")).toBe(0);
  expect(await count("retrying")).toBe(0);

  const { body } = await owner(`GET ${path(id)}?limit=1&status=failed`);
  const { nextCursor } = body.pagination;
  const strange = await owner(`GET ${path(id)}?limit=1&after=${nextCursor}`);
  expect(strange.status).toBe(422);
  expect((await owner(`GET ${path(id)}?status=lost`)).status).toBe(422);
  const nowhere = await owner(`GET ${path("whk_01jd0000000000000000000000")}`);
  expect(nowhere).toMatchObject({ status: 404, body: { code: "not_found" } });
});

test("delivery details include the exact request without secrets and all attempts", async () => {
  await owner("POST /api/v1/secrets", { name: "DETAIL_KEY", value: "open sesame" });
  broken.add("detail");
  const id = await hook("detail", {
    retries: 1,
    secret: "between us",
    headers: {
      Authorization: "Bearer {{secrets.DETAIL_KEY}}",
      "X-Api-Key": "written by hand",
      "X-Team": "operations",
      "X-Mixed": "team {{secrets.DETAIL_KEY}}",
    },
  });
  await write("detail one");
  await until(async () => arrived("detail").length === 1);
  broken.delete("detail");
  await until(async () => {
    const [one] = (await owner(`GET ${path(id)}?status=retrying`)).body.data;
    return one?.attempts === 1;
  });
  world.clock.advance(3_000);
  const [{ id: deliveryId }] = await over(id, 1);
  const [, sent] = arrived("detail");

  const { status, body } = await owner(`GET ${path(id, `/${deliveryId}`)}`);
  expect(status).toBe(200);
  const { request, response, attemptLog, ...item } = body.data;
  expect(item).toEqual((await owner(`GET ${path(id)}`)).body.data[0]);
  expect(request).toMatchObject({
    method: "POST",
    url: `${receiver.url}/detail`,
    body: sent?.text,
  });
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  expect(headers).toMatchObject({
    authorization: "***",
    "x-api-key": "***",
    "x-team": "operations",
    "x-mixed": "***",
    "content-type": "application/json",
    "x-service-delivery": deliveryId,
    "x-service-event": "note.created",
    "x-service-signature-256": `sha256=${createHmac("sha256", "between us")
      .update(sent?.text ?? "")
      .digest("hex")}`,
  });
  for (const name of Object.keys(headers).filter((one) => /^(webhook-|x-service-)/.test(one))) {
    expect(headers[name], name).toBe(sent?.headers[name]);
  }
  expect(response).toMatchObject({ status: 200, body: "Thanks", error: null });
  expect(attemptLog).toMatchObject([
    { number: 1, status: 500, body: "Broken", error: null, at: expect.stringMatching(/Z$/) },
    { number: 2, status: 200, body: "Thanks", error: null, at: item.lastAttemptAt },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/open sesame|written by hand|between us/);
});

test("a replay is a new delivery of the same event, and sorts first", async () => {
  const id = await hook("replayed");
  await write("replayed one");
  await write("replayed two");
  const [second, first] = await over(id, 2);
  const replayed = await owner(`POST ${path(id, `/${first.id}/replay`)}`);
  expect(replayed).toMatchObject({
    status: 201,
    body: { data: { eventId: first.eventId, replayOf: first.id, status: "pending", attempts: 0 } },
    events: ["webhook.delivery_replayed"],
  });
  const newest = replayed.body.data.id;
  expect(replayed.headers["location"]).toBe(path(id, `/${newest}`));
  const all = await over(id, 3);
  expect(all.map((one) => one.id)).toEqual([newest, second.id, first.id]);
  expect(all[0]).toMatchObject({ status: "succeeded", attempts: 1 });
  const [original, copy] = [first.id, newest].map((one) =>
    arrived("replayed").filter(({ body }) => body.id === one),
  );
  expect(original).toHaveLength(1);
  expect(copy).toHaveLength(1);
  expect({ ...copy?.[0]?.body, id: first.id }).toEqual(original?.[0]?.body);
});

test("does not replay to a paused webhook before activation", async () => {
  const id = await hook("waiting");
  await write("waiting one");
  const [first] = await over(id, 1);
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  const replayed = await owner(`POST ${path(id, `/${first.id}/replay`)}`);
  expect(replayed).toMatchObject({
    status: 201,
    body: { data: { status: "pending", attempts: 0 } },
    events: ["webhook.delivery_replayed"],
  });
  // Deliveries of another webhook do not appear here.
  const other = await hook("meanwhile");
  await write("meanwhile one");
  await over(other, 1);
  expect(arrived("waiting")).toHaveLength(1);
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "active" });
  const [newest] = await over(id, 2);
  expect(newest).toMatchObject({ id: replayed.body.data.id, status: "succeeded", attempts: 1 });
  expect(arrived("waiting")).toHaveLength(2);
});

test("a delivery whose event is no longer in the log has no body, and cannot be sent again", async () => {
  broken.add("forgotten");
  const id = await hook("forgotten");
  await write("forgotten one");
  const [{ id: deliveryId, eventId }] = await over(id, 1);
  // Deletes events like the retention job.
  await world.sql(
    `delete from events e using deliveries d
      where d.id = $1 and (e.epoch, e.xid, e.seq) = (d.event_epoch, d.event_xid, d.event_seq)`,
    [deliveryId],
  );
  const { body } = await owner(`GET ${path(id, `/${deliveryId}`)}`);
  expect(body.data).toMatchObject({ eventId, request: { body: null }, response: { status: 500 } });
  for (const verb of ["retry", "replay"]) {
    const refused = await owner(`POST ${path(id, `/${deliveryId}/${verb}`)}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "event_pruned" }, events: [] });
  }
});

test("the trace of an event includes its deliveries", async () => {
  const ids = [await hook("traced", { name: "First" }), await hook("traced", { name: "Second" })];
  await write("traced one");
  const deliveries = (await Promise.all(ids.map((id) => over(id, 1)))).flat();
  const [{ eventId }] = deliveries;
  const { status, body } = await owner(`GET /api/v1/events/${eventId}/trace`);
  expect(status).toBe(200);
  expect(body.data.effects).toHaveLength(2);
  for (const [n, { id }] of deliveries.entries()) {
    expect(body.data.effects).toContainEqual({
      kind: "webhook_delivery",
      id,
      causationId: eventId,
      status: "succeeded",
      summary: `Delivery to ${n === 0 ? "First" : "Second"}: succeeded, 1 attempt, last answer 200`,
      createdAt: expect.any(String),
    });
  }
});

test("deletes only finished deliveries past the retention time", async () => {
  const id = await hook("pruned");
  await write("pruned one");
  await over(id, 1);
  broken.add("kept");
  const kept = await hook("kept", { retries: 20, retryStrategy: "fixed" });
  await write("kept one");
  await until(async () => {
    const { body } = await owner(`GET ${path(kept)}?status=retrying`);
    return body.data.length === 1;
  });
  // All are older than the retention time.
  await world.sql("update deliveries set created_at = created_at - interval '31 days'");
  await write("pruned two");
  await until(async () => arrived("pruned").length === 2);
  await world.sql("update jobs set due_at = now() where kind = 'webhooks.prune_deliveries'");
  world.kernel.wakeSignal.raise("jobs");
  await until(async () => (await owner(`GET ${path(id)}`)).body.data.length === 1);
  expect((await owner(`GET ${path(id)}`)).body.data).toMatchObject([{ eventType: "note.created" }]);
  expect((await owner(`GET ${path(kept)}`)).body.data).toMatchObject([{ status: "retrying" }]);
});
