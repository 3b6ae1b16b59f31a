import { setTimeout as pause } from "node:timers/promises";
import { append, type Endpoint, SECRET, settled, tell } from "../endpoint.ts";
import { load, type Target } from "../load.ts";
import { furnishOurOrders, TABLE } from "../orders.ts";
import {
  asMember,
  changesOf,
  loginsAs,
  newIncidents,
  newMessages,
  newOrders,
  newRecords,
  newTextModules,
  readsOf,
} from "../request.ts";
import { PASSWORD } from "../rig.ts";
import { deploy, ORDERS } from "../workflow.ts";
import { Lines } from "./lines.ts";
import type { ProductSide } from "./product-side.ts";

/** Runs this number of requests, including their effects, to the end. */
export type Repeat = (count: number) => Promise<void>;

/** A repeatable work of the product. */
export interface Work {
  readonly name: string;
  /** Prepares the work. Both sides send the same requests in the same order, across starts of the product. */
  readonly prepare: (side: ProductSide, endpoint: Endpoint) => Promise<Repeat>;
}

const RECORDS = 10_000;
const NOTES = 500;
const NOTES_PATH = "/api/v1/itsm/text-modules";
const INCIDENTS_PATH = "/api/v1/itsm/incidents";
const TOPIC = "orders";
const END_MAX_MS = 60_000;
const LOOK_MS = 10;
const RETURNED = encodeURIComponent(JSON.stringify({ status: "returned" }));

export const WORKS: readonly Work[] = [
  { name: "note read", prepare: prepareNoteRead },
  {
    name: "note create",
    prepare: (side) => creates(side, newTextModules(NOTES_PATH, headers(side))),
  },
  { name: "record read", prepare: async (side) => reads(side, await recordPaths(side)) },
  {
    name: "record list",
    async prepare(side) {
      await recordPaths(side);
      return reads(side, [`${TABLE}?filter=${RETURNED}&limit=50`]);
    },
  },
  {
    name: "record create",
    async prepare(side) {
      await recordPaths(side);
      return creates(side, newRecords(TABLE, headers(side)));
    },
  },
  {
    name: "record update",
    async prepare(side) {
      const next = changesOf(await recordPaths(side), headers(side));
      return repeat(side, { next, status: 200 });
    },
  },
  {
    name: "incident create",
    prepare: (side) => creates(side, newIncidents(INCIDENTS_PATH, headers(side))),
  },
  {
    name: "webhook run",
    async prepare(side) {
      const { hookPath } = await deploy(side, ORDERS);
      return repeat(side, { next: newOrders(hookPath), status: 200 });
    },
  },
  { name: "event run", prepare: prepareEventRun },
  { name: "delivery", prepare: prepareDelivery },
  {
    name: "login",
    prepare: async (side) =>
      repeat(side, {
        next: loginsAs({ email: "admin@example.com", password: PASSWORD }),
        status: 200,
      }),
  },
];

function headers({ token }: ProductSide): Record<string, string> {
  return asMember(token);
}

/** Reconnects after a restart of the product. */
function repeat(side: ProductSide, target: Omit<Target, "port">): Repeat {
  let lines: Promise<Lines> | undefined;
  let port: number | undefined;
  return async (count) => {
    if (port !== side.port) {
      (await lines)?.close();
      port = side.port;
      lines = Lines.open({ ...target, port });
    }
    await (await lines)?.repeat(count);
  };
}

function reads(side: ProductSide, paths: readonly string[]): Repeat {
  return repeat(side, { next: readsOf(paths, headers(side)), status: 200 });
}

async function creates(side: ProductSide, next: () => string): Promise<Repeat> {
  return repeat(side, { next, status: 201 });
}

const recordPathsOf = new WeakMap<ProductSide, Promise<readonly string[]>>();

/** The table is filled once for all works. */
function recordPaths(side: ProductSide): Promise<readonly string[]> {
  let paths = recordPathsOf.get(side);
  paths ??= furnishOurOrders(side, side, RECORDS).then((ids) => ids.map((id) => `${TABLE}/${id}`));
  recordPathsOf.set(side, paths);
  return paths;
}

async function prepareNoteRead(side: ProductSide): Promise<Repeat> {
  const next = newTextModules(NOTES_PATH, headers(side));
  // With different keywords than the work that creates text modules.
  const own = (): string => next().replace(`"text-`, `"read-`);
  await load({ port: side.port, next: own, status: 201 }, { count: NOTES });
  const rows = await side.query<{ id: string }>("select id from text_modules order by id");
  return reads(
    side,
    rows.map(({ id }) => `${NOTES_PATH}/${id}`),
  );
}

/** From the publish until the run has finished. */
async function prepareEventRun(side: ProductSide, endpoint: Endpoint): Promise<Repeat> {
  const body = { order: "{{ trigger.event.data.number }}", run: "{{ run.id }}" };
  const url = `${endpoint.plainUrl}/good`;
  const { id } = await deploy(side, {
    name: "Pass on",
    trigger: { type: "event_bus", topic: TOPIC, eventType: "order.placed" },
    nodes: [{ id: "call", type: "http", config: { method: "POST", url, body } }],
    edges: [],
  });
  const publish = repeat(side, { next: newMessages(TOPIC, headers(side)), status: 201 });
  const finished = `
    select count(*)::int as n from runs where workflow_id = $1 and status = 'completed'`;
  const countFinished = async (): Promise<number> =>
    (await side.query<{ n: number }>(finished, [id]))[0]?.n ?? 0;
  let done = 0;
  return async (count) => {
    await endpoint.reset();
    const startedAt = performance.now();
    await publish(count);
    await endpoint.arrived(count);
    done += count;
    while ((await countFinished()) < done) {
      if (performance.now() > startedAt + END_MAX_MS) throw new Error("Runs do not finish.");
      await pause(LOOK_MS);
    }
  };
}

/** From an event in the log until the outcome of its delivery is stored. */
async function prepareDelivery(side: ProductSide, endpoint: Endpoint): Promise<Repeat> {
  await tell(side, "/api/v1/webhooks", {
    name: "Bench",
    url: `${endpoint.url}/good`,
    events: ["bench.delivered.*"],
    secret: SECRET,
  });
  return async (count) => {
    await endpoint.reset();
    const fromMs = await append(side, side, { count, type: "bench.delivered.", types: 1 });
    await endpoint.arrived(count);
    await settled(side, fromMs);
  };
}
