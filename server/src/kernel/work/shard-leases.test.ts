import { afterEach, beforeEach, expect, test } from "vitest";
import { withOwnerClient } from "../db/setup/owner-connection.ts";
import { SHARDS, ShardLeases } from "./shard-leases.ts";
import { Loop } from "./loop.ts";
import { seeded } from "../testing/random.ts";
import { startWorld, until, type World } from "../testing/world.ts";

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const CHURNS = 12;
/** The leases of a silent node expire after five seconds; the rest is for a busy machine. */
const TAKE_OVER_LIMIT_MS = 30_000;

let world: World;
let nodes: Node[];

beforeEach(async () => {
  world = await startWorld({ domains: [] });
  nodes = [];
});
afterEach(async () => {
  await Promise.all(nodes.map(async (node) => node.loop?.stop()));
  await world[Symbol.asyncDispose]();
});

/** A node that shares the work, and the callbacks it received. */
interface Node {
  readonly leases: ShardLeases;
  readonly gained: number[];
  readonly lost: number[];
  /** Resolves when the node may release a shard. */
  finishes: (shard: number) => Promise<void>;
  loop?: Loop;
}

function join(name: string): Node {
  const node: Node = {
    gained: [],
    lost: [],
    finishes: () => Promise.resolve(),
    leases: new ShardLeases({
      db: world.kernel.db,
      name: "test",
      node: name,
      onGain: (shards) => void node.gained.push(...shards),
      onExpire: (shard) => void node.lost.push(shard),
      onLose: (shard) => {
        node.lost.push(shard);
        return node.finishes(shard);
      },
    }),
  };
  nodes.push(node);
  return node;
}

const held = ({ leases }: Node): number[] => ALL.filter((shard) => leases.holds(shard));
const shared = (): number[] =>
  ALL.filter((shard) => nodes.filter(({ leases }) => leases.holds(shard)).length > 1);

test("a single node holds all shards, and a second node takes half", async () => {
  const [one, other] = [join("one"), join("other")];
  await one.leases.step();
  expect(held(one)).toEqual(ALL);
  expect(one.gained).toEqual(ALL);

  await other.leases.step();
  expect(held(other)).toEqual([]);
  await one.leases.step();
  await until(async () => {
    await one.leases.step();
    await other.leases.step();
    expect(shared()).toEqual([]);
    return held(other).length === SHARDS / 2;
  });
  expect([...held(one), ...held(other)].toSorted((a, b) => a - b)).toEqual(ALL);
  expect(one.lost).toEqual(held(other));
  expect(other.gained.toSorted((a, b) => a - b)).toEqual(held(other));
});

test("a shard with running work moves only after the work has ended", async () => {
  const [one, other] = [join("one"), join("other")];
  const { promise, resolve } = Promise.withResolvers<void>();
  one.finishes = () => promise;
  await one.leases.step();
  await other.leases.step();
  await one.leases.step();
  // Work does not start there, but the lease is renewed.
  expect(held(one)).toHaveLength(SHARDS / 2);
  await one.leases.step();
  await other.leases.step();
  expect(held(other)).toEqual([]);
  resolve();
  await until(async () => {
    await one.leases.step();
    await other.leases.step();
    return held(other).length === SHARDS / 2;
  });
  expect(other.gained.toSorted((a, b) => a - b)).toEqual(one.lost.toSorted((a, b) => a - b));
});

test("a node that shuts down hands its shards over immediately", async () => {
  const [one, other] = [join("one"), join("other")];
  await one.leases.step();
  await other.leases.step();
  expect(held(other)).toEqual([]);
  await one.leases.close();
  expect(held(one)).toEqual([]);
  await other.leases.step();
  expect(held(other)).toEqual(ALL);
  expect(await world.sql("select node from lane_nodes")).toEqual([{ node: "other" }]);
});

test("a silent node stops its work before other nodes take over its shards", async () => {
  const [one, other] = [join("one"), join("other")];
  await one.leases.step();
  other.loop = new Loop(() => other.leases.step(), rethrow);
  await until(async () => {
    expect(shared()).toEqual([]);
    return held(other).length === SHARDS;
  }, TAKE_OVER_LIMIT_MS);
  expect(held(one)).toEqual([]);
  // When it returns, it gets its share like any other node.
  one.loop = new Loop(() => one.leases.step(), rethrow);
  await until(async () => {
    expect(shared()).toEqual([]);
    return held(one).length === SHARDS / 2 && held(other).length === SHARDS / 2;
  }, TAKE_OVER_LIMIT_MS);
});

test("two nodes never both believe to hold a shard that is released during a renewal", async () => {
  const [one, other] = [join("one"), join("other")];
  const { promise, resolve } = Promise.withResolvers<void>();
  one.finishes = () => promise;
  await one.leases.step();
  await other.leases.step();
  await one.leases.step();
  const renewal = await whileLocked(async (waits) => {
    const step = one.leases.step();
    await until(waits);
    resolve();
    return { step };
  });
  await renewal.step;
  await until(async () => {
    await other.leases.step();
    expect(shared()).toEqual([]);
    await one.leases.step();
    expect(shared()).toEqual([]);
    return held(other).length === SHARDS / 2;
  });
});

test("two nodes never hold the same shard while nodes come and go", async () => {
  const random = seeded(7);
  const run = (node: Node): void => {
    node.finishes = () => new Promise((done) => setTimeout(done, random() * 30));
    node.loop = new Loop(async () => {
      await node.leases.step();
      // Far more often than in production, so that steps and releases overlap.
      return 1 + Math.floor(random() * 20);
    }, rethrow);
  };
  const first = join("node-0");
  run(first);
  const doubles = new Set<number>();
  const watch = setInterval(() => shared().forEach((shard) => doubles.add(shard)), 1);
  try {
    for (let churn = 1; churn <= CHURNS; churn += 1) {
      const node = join(`node-${churn}`);
      run(node);
      await until(async () => held(node).length === SHARDS / 2);
      await node.loop?.stop();
      await node.leases.close();
    }
    await until(async () => held(first).length === SHARDS);
  } finally {
    clearInterval(watch);
  }
  expect([...doubles]).toEqual([]);
});

/** Blocks renewals of shards while `work` runs. `waits` returns whether one is blocked. */
async function whileLocked<T>(work: (waits: () => Promise<boolean>) => Promise<T>): Promise<T> {
  return withOwnerClient(world.database.system, async (client) => {
    await client.query("begin");
    await client.query("select from lanes for update");
    const result = await work(async () => {
      const waiting = await world.sql(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    await client.query("commit");
    return result;
  });
}

function rethrow(error: unknown): never {
  throw error;
}
