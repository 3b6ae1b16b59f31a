import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Received, type Receiver, startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { seeded } from "#kernel/testing/random.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until } from "#kernel/testing/world.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  all,
  type Ask,
  asker,
  kill,
  launch,
  logIn,
  useProducts,
  type Victims,
} from "./testing/product.ts";
import { TEST_SEED } from "#kernel/testing/seed.ts";

const VICTIMS: readonly Victims[] = ["group", "everything", "parent"];
/** One round per kind of victims. `npm run proof -- crash` runs more. */
const ROUNDS = Number(process.env["MILLRACE_CRASH_ROUNDS"] ?? VICTIMS.length);
const SEED = Number(process.env["MILLRACE_CRASH_SEED"] ?? TEST_SEED);
/** For a busy machine. */
const LIMIT_MS = 200_000 + ROUNDS * 60_000;
const WRITERS = 8;
/** The first writes of each writer in a round. The kill comes during further writes. */
const WRITES_EACH = 3;
const WRITES_BEFORE_KILL = 20;
/** The number of changes per resource without failures. */
const STEPS = tries(4, 8);
const FAILURES_SHARE = 0.25;
/** For a busy machine. Deliveries of a killed process are released after five seconds. */
const WORK_LIMIT_MS = 50_000;
/** The first owner's workspace. */
const HERE = { "x-workspace": "default" };
/** No delivery fails permanently, including on a busy machine. */
const PATIENT = { retries: 20, retryMaxDelayMs: 1_000, timeout_ms: 60_000 };
/** The timeout for an endpoint that fails by not responding. */
const BRISK = { timeout_ms: 1_000 };

/** The webhooks with their settings and the condition for expected events. */
const WANTS = {
  everything: {
    ask: { events: ["order.*", "audit.secret.*"], secret: "between us" },
    hears: () => true,
  },
  orders: {
    ask: { events: ["order.placed"], format: "cloudevents" },
    hears: ({ type }: any) => type === "order.placed",
  },
  even: {
    ask: { events: ["order.*"], filter: { "data.even": true } },
    hears: ({ data }: any) => data.even === true,
  },
  secrets: {
    ask: { events: ["audit.secret.updated"], environments: ["production"] },
    hears: ({ type }: any) => type === "audit.secret.updated",
  },
} as const;
type HookName = keyof typeof WANTS;
const HOOKS = Object.keys(WANTS) as HookName[];

let receiver: Receiver;

// First, so that the receiver ends after the products that send to it.
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

useProducts();

test(
  `every event reaches every subscribed webhook, in order without failures, and through ${ROUNDS} rounds of kill -9 with a randomly failing endpoint (seed ${SEED})`,
  { timeout: LIMIT_MS },
  async () => {
    const random = seeded(SEED);
    const well = new WeakSet<Received>();
    let fails = false;
    receiver.answer = (received, response) => {
      if (fails && random() < FAILURES_SHARE) return failSomehow(response, random());
      well.add(received);
      setImmediate(() => response.end("thanks"));
    };
    startedBefore();
    let product = launch(receiver.env);
    let address = await product.ready;
    const token = await logIn(address);
    const writers = Array.from({ length: WRITERS }, (_, n) => writerOf(n));
    const hooks = await makeHooks(asker(address, token), writers, PATIENT);
    await assertOrder(asker(address, token), hooks, writers);

    for (const id of Object.values(hooks)) {
      const { status } = await asker(address, token)(`PATCH /api/v1/webhooks/${id}`, BRISK, HERE);
      expect(status).toBe(200);
    }
    fails = true;
    for (let round = 0; round < ROUNDS; round += 1) {
      const victims = VICTIMS[round % VICTIMS.length]!;
      const doomed = product;
      const ask = asker(address, token);
      const sentBefore = receiver.received.length;
      const sends = 10 + Math.floor(random() * 40);
      await Promise.all(writers.map((writer) => write(writer, ask, WRITES_EACH)));
      // The kill should also interrupt its deliveries.
      await until(async () => receiver.received.length >= sentBefore + sends, WORK_LIMIT_MS);
      let writes = 0;
      let killed: Promise<void> | undefined;
      const onAcknowledged = (): void => {
        writes += 1;
        if (writes === WRITES_BEFORE_KILL) killed = kill(doomed, victims);
      };
      await Promise.all(writers.map((writer) => write(writer, ask, Infinity, onAcknowledged)));
      expect(killed, "It ended by itself").toBeDefined();
      await killed;
      product = launch(receiver.env);
      address = await product.ready;
    }

    const ask = asker(address, token);
    await Promise.all(writers.map((writer) => write(writer, ask, 1)));
    const log = await loggedBy(ask, writers);
    for (const name of HOOKS) {
      const wanted = log.filter(WANTS[name].hears);
      expect(wanted.length).toBeGreaterThan(0);
      await allSettled(ask, hooks[name], wanted.length);
      await assertDelivered(ask, { name, id: hooks[name] }, { wanted, well });
    }
    const { received } = receiver;
    const ids = new Set(received.map(({ headers }) => headers["x-service-delivery"]));
    // Some deliveries failed; otherwise the test would prove nothing.
    expect(received.length).toBeGreaterThan(ids.size);
  },
);

/** Without failures, events of one resource arrive in order. */
async function assertOrder(
  ask: Ask,
  hooks: Record<HookName, string>,
  writers: readonly Writer[],
): Promise<void> {
  const rotators = writers.filter(isRotator);
  await Promise.all(rotators.map((writer) => write(writer, ask, STEPS)));
  await allSettled(ask, hooks.secrets, rotators.length * STEPS);
  await allSettled(ask, hooks.everything, rotators.length * (STEPS + 1));
  for (const { name } of rotators) {
    const arrived = (hook: HookName) =>
      receiver.received
        .filter(({ path, body }) => path === `/${hook}` && body.data.name === name)
        .map(({ body }) => body.data.description);
    const written = Array.from({ length: STEPS }, (_, n) => `${name}-${n}`);
    expect(arrived("secrets")).toEqual(written);
    expect(arrived("everything")).toEqual(["", ...written]);
  }
}

/** A late response, none, an incomplete one, or an error. */
function failSomehow(response: ServerResponse, kind: number): void {
  if (kind < 0.15) return;
  if (kind < 0.4) return void response.destroy();
  if (kind < 0.6) {
    response.writeHead(200, { "content-length": "10" });
    return void response.write("half", () => response.destroy());
  }
  response.writeHead(500).end("not now");
}

/** A client that writes in sequence and records its writes. */
interface Writer {
  readonly name: string;
  readonly nth: (n: number) => { readonly route: string; readonly body: object };
  /** The request ids of acknowledged writes. */
  readonly acknowledged: string[];
}

/** Half of them publish; the others change a secret, so that their events concern one resource. */
function writerOf(n: number): Writer {
  return n % 2 === 0 ? publisherOf(n) : rotatorOf(n);
}

function publisherOf(n: number): Writer {
  const name = `publisher_${n}`;
  const nth = (write: number) => ({
    route: "POST /api/v1/events/topics/orders/publish",
    body: {
      type: write % 3 === 0 ? "order.cancelled" : "order.placed",
      payload: { writer: name, write, even: write % 2 === 0 },
    },
  });
  return { name, nth, acknowledged: [] };
}

function rotatorOf(n: number): Writer {
  const name = `rotator_${n}`;
  const nth = (write: number) => ({
    route: `PUT /api/v1/secrets/${name}`,
    body: { value: `the value ${write} of ${name}`, description: `${name}-${write}` },
  });
  return { name, nth, acknowledged: [] };
}

function isRotator({ name }: Writer): boolean {
  return name.startsWith("rotator");
}

/** Performs a number of writes, or until the server is killed. Unanswered writes are repeated next time. */
async function write(
  { name, nth, acknowledged }: Writer,
  ask: Ask,
  times: number,
  onAcknowledged = (): void => undefined,
): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    const requestId = `${name}-${acknowledged.length}`;
    const { route, body } = nth(acknowledged.length);
    const headers = { ...HERE, "x-request-id": requestId, "idempotency-key": requestId };
    const answer = await ask(route, body, headers).catch(() => undefined);
    if (!answer) return;
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    acknowledged.push(requestId);
    onAcknowledged();
  }
}

/** The webhooks first, because they also receive the creation of the secrets. */
async function makeHooks(
  ask: Ask,
  writers: readonly Writer[],
  common: object,
): Promise<Record<HookName, string>> {
  const ids: Partial<Record<HookName, string>> = {};
  for (const name of HOOKS) {
    const hook = { name, url: `${receiver.url}/${name}`, ...common, ...WANTS[name].ask };
    const { status, body } = await ask("POST /api/v1/webhooks", hook, HERE);
    expect(status, JSON.stringify(body)).toBe(201);
    ids[name] = body.data.id;
  }
  for (const { name } of writers.filter(isRotator)) {
    const { status } = await ask("POST /api/v1/secrets", { name, value: "first" }, HERE);
    expect(status).toBe(201);
  }
  return ids as Record<HookName, string>;
}

/** The logged events, which must include all acknowledged ones. */
async function loggedBy(ask: Ask, writers: readonly Writer[]): Promise<any[]> {
  const log = (await all(ask, "/api/v1/audit", HERE)).filter(({ type }) =>
    /^(order|audit\.secret)\./.test(type),
  );
  const requests = new Set(log.map(({ requestId }) => requestId));
  const lost = writers.flatMap(({ acknowledged }) =>
    acknowledged.filter((requestId) => !requests.has(requestId)),
  );
  expect(lost).toEqual([]);
  return log;
}

/** Waits until this number of deliveries exists and all have ended. */
async function allSettled(ask: Ask, webhookId: string, count: number): Promise<void> {
  const path = `/api/v1/webhooks/${webhookId}/deliveries`;
  const hasAny = async (status: string): Promise<boolean> =>
    (await ask(`GET ${path}?limit=1&status=${status}`, undefined, HERE)).body.data.length > 0;
  await until(async () => {
    // Reading all of them takes time that the deliveries need.
    if ((await hasAny("pending")) || (await hasAny("retrying"))) return false;
    return (await all(ask, path, HERE)).length >= count;
  }, WORK_LIMIT_MS);
}

/** Each event was delivered with one id and one body, possibly repeated; there were no other deliveries. */
async function assertDelivered(
  ask: Ask,
  hook: { readonly name: HookName; readonly id: string },
  { wanted, well }: { readonly wanted: readonly any[]; readonly well: WeakSet<Received> },
): Promise<void> {
  const { body } = await ask(`GET /api/v1/webhooks/${hook.id}`, undefined, HERE);
  expect(body.data).toMatchObject({ status: "active", consecutiveFailures: 0 });
  const deliveries = await all(ask, `/api/v1/webhooks/${hook.id}/deliveries`, HERE);
  expect(deliveries.filter(({ status }) => status !== "succeeded")).toEqual([]);
  const ascending = (ids: readonly string[]): string[] => ids.toSorted();
  expect(ascending(deliveries.map(({ eventId }) => eventId))).toEqual(
    ascending(wanted.map(({ id }) => id)),
  );

  const events = new Map(wanted.map((event) => [event.id, event]));
  const attempts = Map.groupBy(
    receiver.received.filter(({ path }) => path === `/${hook.name}`),
    ({ headers }) => String(headers["x-service-delivery"]),
  );
  expect(ascending([...attempts.keys()])).toEqual(ascending(deliveries.map(({ id }) => id)));
  for (const { id, eventId } of deliveries) {
    const received = attempts.get(id) ?? [];
    expect(received.some((one) => well.has(one))).toBe(true);
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
    const { type, data } = events.get(eventId);
    expect(received[0]?.headers["x-service-event"]).toBe(type);
    expect(received[0]?.body).toMatchObject({
      ...(hook.name === "orders" ? { id: eventId, type } : { id, event: type }),
      data: type === "audit.secret.updated" ? data.after : data,
    });
  }
}
