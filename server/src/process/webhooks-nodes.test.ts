import { afterEach, beforeEach, expect, test } from "vitest";
import { type Receiver, startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until } from "#kernel/testing/world.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { type Ask, asker, launch, logIn, useProducts } from "./testing/product.ts";

const HOOKS = 6;
const SECRETS = tries(4, 8);
const STEPS = tries(4, 6);
/** For a busy machine. */
const WORK_LIMIT_MS = 50_000;
const HERE = { "x-workspace": "default" };

// First, so that these two end after the products: hooks run in reverse.
const database = useServerDatabase();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  receiver.answer = (_received, response) => void setImmediate(() => response.end());
});
afterEach(() => receiver[Symbol.asyncDispose]());

useProducts();

test("two workers share the webhooks, and a normal stop hands them over immediately; events of one resource arrive in order", async () => {
  const { ask, workers } = await launchThree();
  await makeHooks(ask);
  // Each worker has half of the webhooks' lanes and sends only on those.
  expect(await holders()).toHaveLength(2);
  await writeAll(ask, "SHARED");
  await assertArrived("SHARED");
  expect(await holders()).toHaveLength(2);

  let writes = 0;
  let ended: Promise<unknown> | undefined;
  await writeAll(ask, "HANDED_OVER", () => {
    writes += 1;
    if (writes !== (SECRETS * STEPS) / 2) return;
    const [leaver] = workers;
    leaver?.child.kill("SIGTERM");
    ended = leaver?.ended;
  });
  expect(await ended).toBe(0);
  // It completed its deliveries and released its lanes, so that the other need not wait for its timeout.
  const left = await database.rows(
    "select distinct node from lane_nodes where name = 'webhooks.sender'",
  );
  expect(left).toHaveLength(1);
  const held = await database.rows(
    "select distinct node from lanes where name = 'webhooks.sender'",
  );
  expect(held).toEqual(left);
  await assertArrived("HANDED_OVER");
});

/** An API node and two workers, after the workers have divided the lanes. */
async function launchThree() {
  const env = { ...database.env, ...receiver.env };
  const api = launch({ ...env, MILLRACE_ROLE: "api" });
  const workers = [0, 1].map(() => launch({ ...env, MILLRACE_ROLE: "worker" }));
  const [address = ""] = await Promise.all([api, ...workers].map(({ ready }) => ready));
  await until(async () => {
    const shares = await database.rows(
      "select count(*)::int as n from lanes where name = 'webhooks.sender' group by node",
    );
    return shares.length === 2 && shares.every(({ n }) => n === SHARDS / 2);
  }, WORK_LIMIT_MS);
  return { ask: asker(address, await logIn(address)), workers };
}

const nameOf = (hook: number): string => `hook${hook}`;

async function makeHooks(ask: Ask): Promise<void> {
  for (let hook = 0; hook < HOOKS; hook += 1) {
    const name = nameOf(hook);
    const url = `${receiver.url}/${name}`;
    const wish = { name, url, events: ["audit.secret.*"], timeout_ms: 60_000 };
    const { status, body } = await ask("POST /api/v1/webhooks", wish, HERE);
    expect(status, JSON.stringify(body)).toBe(201);
    // Otherwise all could be on one worker's lanes by chance.
    await database.rows("update webhooks set lane = $2 where id = $1", [body.data.id, hook]);
  }
}

/** The nodes that hold the lanes of our webhooks. */
function holders(): Promise<any[]> {
  return database.rows(
    `select distinct l.node from webhooks w join lanes l on l.name = 'webhooks.sender' and l.lane = w.lane
      where l.held_until > clock_timestamp()`,
  );
}

const secretsOf = (kind: string): string[] =>
  Array.from({ length: SECRETS }, (_, secret) => `${kind}_${secret}`);

/** Creates each secret and then changes it repeatedly. */
async function writeAll(ask: Ask, kind: string, onWrite = (): void => undefined): Promise<void> {
  const ofOne = async (name: string): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1) {
      const body = { value: `value ${step}`, description: String(step) };
      const answer =
        step === 0
          ? await ask("POST /api/v1/secrets", { name, ...body }, HERE)
          : await ask(`PUT /api/v1/secrets/${name}`, body, HERE);
      expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
      onWrite();
    }
  };
  await Promise.all(secretsOf(kind).map(ofOne));
}

/** Every webhook received everything, in order per resource. */
async function assertArrived(kind: string): Promise<void> {
  const arrived = () => receiver.received.filter(({ body }) => body.data.name.startsWith(kind));
  await until(async () => {
    const ids = new Set(arrived().map(({ headers }) => headers["x-service-delivery"]));
    return ids.size >= HOOKS * SECRETS * STEPS;
  }, WORK_LIMIT_MS);
  const steps = Array.from({ length: STEPS }, (_, step) => String(step));
  for (let hook = 0; hook < HOOKS; hook += 1) {
    const received = arrived().filter(({ path }) => path === `/${nameOf(hook)}`);
    for (const name of secretsOf(kind)) {
      const told = received.filter(({ body }) => body.data.name === name);
      expect(told.map(({ body }) => body.data.description)).toEqual(steps);
    }
  }
}
