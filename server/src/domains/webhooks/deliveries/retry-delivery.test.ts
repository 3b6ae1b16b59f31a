import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { type Answer, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "../testing/receiver.ts";
import * as testing from "../testing/deliveries.ts";

/** The responses to webhooks by name; all others succeed. */
const answers = new Map<string, number | ((response: ServerResponse) => void)>();

const receiver = await useFixture(startReceiver());
receiver.answer = ({ path }, response) => {
  const answer = answers.get(path.slice(1)) ?? 200;
  if (typeof answer === "function") answer(response);
  else response.writeHead(answer).end(`Answer ${answer}`);
};
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const HOOKS = "/api/v1/webhooks";
const hook = (name: string, more: object = {}) => testing.hook(owner, receiver, name, more);
const arrived = (name: string) => testing.arrived(receiver, name);
const write = (title: string) => owner("POST /api/v1/notes", { title, body: "" });
const get = async (id: string) => (await owner(`GET ${HOOKS}/${id}`)).body.data;
const retry = (id: string, deliveryId: string): Promise<Answer> =>
  owner(`POST ${HOOKS}/${id}/deliveries/${deliveryId}/retry`);

/** The only delivery of a webhook, once it has this status. */
function only(id: string, status: string): Promise<any> {
  return until(async () => {
    const [one] = (await owner(`GET ${HOOKS}/${id}/deliveries`)).body.data;
    return one?.status === status && one;
  });
}

/** A webhook of this name with one delivery that has failed. */
async function failed(name: string): Promise<{ id: string; deliveryId: string }> {
  answers.set(name, 500);
  const id = await hook(name);
  await write(`${name} one`);
  const { id: deliveryId } = await only(id, "failed");
  return { id, deliveryId };
}

test("retries a failed delivery once, and the response contains the result", async () => {
  answers.set("retried", 500);
  const id = await hook("retried", { retries: 3 });
  await write("retried one");
  const { id: deliveryId } = await only(id, "retrying");
  const notFailed = { status: 409, body: { code: "delivery_not_failed" }, events: [] };
  expect(await retry(id, deliveryId)).toMatchObject(notFailed);
  await until(async () => {
    world.clock.advance(20_000);
    return arrived("retried").length === 4;
  });
  await only(id, "failed");

  const again = await retry(id, deliveryId);
  // One attempt, regardless of the webhook's retries, and it does not affect the failure count.
  expect(again).toMatchObject({
    status: 200,
    body: {
      data: { id: deliveryId, status: "failed", attempts: 5, lastResponseBody: "Answer 500" },
    },
    events: ["webhook.delivery_retried"],
  });
  expect(again.body.data).toEqual(await only(id, "failed"));
  expect(await get(id)).toMatchObject({ status: "active", consecutiveFailures: 1 });

  answers.delete("retried");
  const well = await retry(id, deliveryId);
  expect(well).toMatchObject({
    status: 200,
    body: { data: { id: deliveryId, status: "succeeded", attempts: 6, nextAttemptAt: null } },
    events: ["webhook.delivery_retried"],
  });
  expect(await get(id)).toMatchObject({ consecutiveFailures: 0 });
  expect(arrived("retried")).toHaveLength(6);
  expect(new Set(arrived("retried").map(({ text }) => text)).size).toBe(1);
  const { body } = await owner(`GET ${HOOKS}/${id}/deliveries/${deliveryId}`);
  expect(body.data.attemptLog.map(({ number, status }: any) => [number, status])).toEqual([
    ...[1, 2, 3, 4, 5].map((number) => [number, 500]),
    [6, 200],
  ]);
  const audit = await owner(`GET /api/v1/audit?resourceId=${id}&type=webhook.delivery_retried`);
  expect(audit.body.data.map(({ data }: any) => [data.status, data.attempts])).toEqual([
    ["succeeded", 6],
    ["failed", 5],
  ]);
  expect(await retry(id, deliveryId)).toMatchObject(notFailed);
});

test("uses the current webhook URL, even for a paused webhook", async () => {
  const { id, deliveryId } = await failed("moving");
  await owner(`PATCH ${HOOKS}/${id}`, { status: "paused", url: `${receiver.url}/moved` });
  expect(await retry(id, deliveryId)).toMatchObject({
    status: 200,
    body: { data: { status: "succeeded", attempts: 2, url: `${receiver.url}/moved` } },
    events: ["webhook.delivery_retried"],
  });
  expect(arrived("moved")).toMatchObject([{ body: { id: deliveryId } }]);
  expect(arrived("moving")).toHaveLength(1);
  expect(await get(id)).toMatchObject({ status: "paused" });
});

test("a missing or silent endpoint has no other effect", async () => {
  const { id, deliveryId } = await failed("gone");
  answers.set("gone", 410);
  expect(await retry(id, deliveryId)).toMatchObject({
    status: 200,
    body: { data: { status: "failed", attempts: 2, lastResponseStatus: 410, lastError: null } },
    events: ["webhook.delivery_retried"],
  });
  answers.set("gone", (response) => response.destroy());
  expect(await retry(id, deliveryId)).toMatchObject({
    status: 200,
    body: {
      data: {
        status: "failed",
        attempts: 3,
        lastResponseStatus: null,
        lastError: expect.stringContaining("the connection failed"),
      },
    },
    events: ["webhook.delivery_retried"],
  });
  expect(await get(id)).toMatchObject({ status: "active", consecutiveFailures: 1 });
});

test("one of two concurrent retries counts, and the other gets a conflict", async () => {
  const { id, deliveryId } = await failed("twice");
  const held: ServerResponse[] = [];
  answers.set("twice", (response) => {
    held.push(response);
    // Both are in progress when the first is answered.
    if (held.length === 2) for (const one of held) one.writeHead(500).end();
  });
  const both = await Promise.all([retry(id, deliveryId), retry(id, deliveryId)]);
  const [first, second] = both.toSorted((one, other) => one.status - other.status);
  expect(first).toMatchObject({
    status: 200,
    body: { data: { status: "failed", attempts: 2 } },
    events: ["webhook.delivery_retried"],
  });
  expect(second).toMatchObject({ status: 409, body: { code: "delivery_changed" }, events: [] });
  expect(await only(id, "failed")).toMatchObject({ attempts: 2 });
});

test("with the same Idempotency-Key it is sent once", async () => {
  const { id, deliveryId } = await failed("once");
  const key = { "idempotency-key": "one-retry" };
  const route = `POST ${HOOKS}/${id}/deliveries/${deliveryId}/retry`;
  const first = await owner(route, undefined, key);
  const second = await owner(route, undefined, key);
  expect(first).toMatchObject({ status: 200, body: { data: { attempts: 2 } } });
  expect(second.body).toEqual(first.body);
  expect(arrived("once")).toHaveLength(2);
});
