import { setTimeout as pause } from "node:timers/promises";
import { type Endpoint, type Product, startEndpoint } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { load } from "../load.ts";
import { asMember, newMessages } from "../request.ts";
import type { Rig } from "../rig.ts";
import { spreadOf } from "../statistics.ts";
import { deploy } from "../workflow.ts";

const EVENTS = 3_000;
const WARM_UP_EVENTS = 500;
const END_MAX_MS = 120_000;
const LOOK_MS = 50;
/** A topic without consumers. */
const IDLE_TOPIC = "idle";
const TOPIC = "orders";

/** Published events, each of which starts a run with one call. */
export const eventRuns: Figure = {
  name: "event-runs",
  async measure(rig, effort) {
    const endpoint = await startEndpoint(rig);
    const product = await rig.startProduct({ ...effort, env: endpoint.env });
    await deploy(product, workflowThatCalls(`${endpoint.plainUrl}/good`));
    await publish(product, IDLE_TOPIC, WARM_UP_EVENTS);
    await round(rig, product, endpoint, WARM_UP_EVENTS);
    const ours = [];
    const alone = [];
    for (let n = 0; n < effort.rounds; n += 1) {
      ours.push(await round(rig, product, endpoint, EVENTS));
      alone.push(await publish(product, IDLE_TOPIC, EVENTS));
    }
    const rate = (of: readonly number[]): string => `${Math.round(spreadOf(of).median)}/s`;
    const repeated = ours.reduce((sum, one) => sum + one.repeated, 0);
    return {
      ours: rate(ours.map(({ perSecond }) => perSecond)),
      target: "each event one run",
      reached: true,
      notes: [
        `${EVENTS} events a round, from the first publish to the end of the last run; ${repeated} called twice`,
        `published meanwhile: ${rate(ours.map(({ published }) => published))}; while nobody listens: ${rate(alone)}`,
      ],
      values: { ours, alone },
    };
  },
};

function workflowThatCalls(url: string) {
  const body = { order: "{{ trigger.event.data.number }}", run: "{{ run.id }}" };
  return {
    name: "Pass on",
    trigger: { type: "event_bus", topic: TOPIC, eventType: "order.placed" },
    nodes: [{ id: "call", type: "http", config: { method: "POST", url, body } }],
    edges: [],
  };
}

async function publish(product: Product, topic: string, count: number): Promise<number> {
  const next = newMessages(topic, asMember(product.token));
  return (await load({ port: product.port, status: 201, next }, { count })).perSecond;
}

/** Publishes and waits until all runs have ended: the rate from the first publish to the last end. */
async function round(rig: Rig, product: Product, endpoint: Endpoint, count: number) {
  await endpoint.reset();
  const from = new Date();
  const published = await publish(product, TOPIC, count);
  const { repeated } = await endpoint.arrived(count);
  const lastMs = await lastEnd(rig, from, count);
  return { perSecond: count / ((lastMs - from.getTime()) / 1000), published, repeated };
}

const ENDS = `
  select count(*) filter (where status = 'completed')::int as completed, count(*)::int as runs,
         extract(epoch from max(finished_at))::float8 * 1000 as "lastMs"
    from runs where created_at >= $1`;

/** The time when the last run since `from` completed. Their number must match. */
async function lastEnd(rig: Rig, from: Date, count: number): Promise<number> {
  const limit = performance.now() + END_MAX_MS;
  for (;;) {
    const [row] = await rig.query<{ completed: number; runs: number; lastMs: number }>(ENDS, [
      from,
    ]);
    const { completed = 0, runs = 0, lastMs = 0 } = row ?? {};
    if (completed === count && runs === count) return lastMs;
    if (runs > count || performance.now() > limit) {
      throw new Error(`${count} events, but of ${runs} runs ${completed} completed.`);
    }
    await pause(LOOK_MS);
  }
}
