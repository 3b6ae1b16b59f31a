import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "../child.ts";
import { judge } from "../compare.ts";
import {
  append,
  ask,
  type Endpoint,
  type Product,
  SECRET,
  settled,
  startEndpoint,
  tell,
} from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import type { Rig } from "../rig.ts";
import { spreadOf } from "../statistics.ts";

const EVENTS = 8_000;
const WARM_UP_EVENTS = 3_000;
const IN_FLIGHT = 64;
const RATIO = 0.5;
const BREATH_MS = 250;

/** From the log to a signed POST with a stored outcome, against POSTs without stored data. */
export const deliveries: Figure = {
  name: "deliveries",
  async measure(rig, { rounds, profileFolder }) {
    const endpoint = await startEndpoint(rig);
    const env = { ...endpoint.env, MILLRACE_WEBHOOK_CONCURRENCY: String(IN_FLIGHT) };
    const product = await rig.startProduct({ profileFolder, env });
    const bare = await rig.startProgram("bare-sender.ts");
    await tell(product, "/api/v1/webhooks", {
      name: "Bench",
      url: `${endpoint.url}/good`,
      events: ["bench.delivered.*"],
      secret: SECRET,
    });
    await deliver(rig, product, endpoint, WARM_UP_EVENTS);
    await post(bare, endpoint, WARM_UP_EVENTS);
    const ours = [];
    const reference = [];
    for (let round = 0; round < rounds; round += 1) {
      await pause(BREATH_MS);
      ours.push(await deliver(rig, product, endpoint, EVENTS));
      await pause(BREATH_MS);
      reference.push(await post(bare, endpoint, EVENTS));
    }
    const { values, ...judged } = judge(ours, reference, RATIO);
    const repeated = ours.reduce((sum, one) => sum + one.repeated, 0);
    const settledRate = spreadOf(ours.map(({ settledPerSecond }) => settledPerSecond)).median;
    return {
      ...judged,
      notes: [
        `${EVENTS} events a round, one webhook, ${IN_FLIGHT} in flight; ${repeated} sent twice`,
        `until the last outcome was written: ${Math.round(settledRate)}/s`,
      ],
      values: { ...values, ours, reference },
    };
  },
};

/** From the events in the log to the arrival of the last one. */
async function deliver(rig: Rig, product: Product, endpoint: Endpoint, count: number) {
  await endpoint.reset();
  const fromMs = await append(rig, product, { count, type: "bench.delivered.", types: 1 });
  const { lastAtMs, repeated } = await endpoint.arrived(count);
  const settledMs = await settled(rig, fromMs);
  return {
    perSecond: count / ((lastAtMs - fromMs) / 1000),
    settledPerSecond: count / (settledMs / 1000),
    repeated,
  };
}

async function post(bare: Child, endpoint: Endpoint, count: number) {
  await endpoint.reset();
  const query = new URLSearchParams({
    url: `${endpoint.url}/good`,
    count: String(count),
    inFlight: String(IN_FLIGHT),
  });
  const { startedAtMs } = await ask<{ startedAtMs: number }>(bare, `/run?${query.toString()}`);
  const { lastAtMs } = await endpoint.arrived(count);
  return { perSecond: count / ((lastAtMs - startedAtMs) / 1000) };
}
