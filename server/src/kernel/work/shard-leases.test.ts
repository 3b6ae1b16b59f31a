import { afterEach, beforeEach, expect, test } from "vitest";
import { withOwnerClient } from "../db/setup/owner-connection.ts";
import { SHARDS, ShardLeases } from "./shard-leases.ts";
import { Loop } from "./loop.ts";
import { seeded } from "../testing/random.ts";
import { startWorld, until, type World } from "../testing/world.ts";

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const CHURNS = 12;
/** A silent node's shards are free after five seconds; the rest is for a busy machine. */
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

/** One of those who share the work, and what it was told. */
interface Node {
  readonly leases: ShardLeases;
  readonly gained: number[];
  readonly lost: number[];
  /** Resolves when the node may let go of a shard. */
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

test("a single node holds all shards, and a second gets half of them", async () => {
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

test("a shard whose work is under way moves only when that is over", async () => {
  const [one, other] = [join("one"), join("other")];
  const { promise, resolve } = Promise.withResolvers<void>();
  one.finishes = () => promise;
  await one.leases.step();
  await other.leases.step();
  await one.leases.step();
  // It begins nothing more there, yet renews its hold.
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

test("a node that ends in good order hands over at once", async () => {
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

test("the shards of a node that falls silent are taken over, after it has stopped by itself", async () => {
  const [one, other] = [join("one"), join("other")];
  await one.leases.step();
  other.loop = new Loop(() => other.leases.step(), rethrow);
  await until(async () => {
    expect(shared()).toEqual([]);
    return held(other).length === SHARDS;
  }, TAKE_OVER_LIMIT_MS);
  expect(held(one)).toEqual([]);
  // Back again, it gets its share as any other.
  one.loop = new Loop(() => one.leases.step(), rethrow);
  await until(async () => {
    expect(shared()).toEqual([]);
    return held(one).length === SHARDS / 2 && held(other).length === SHARDS / 2;
  }, TAKE_OVER_LIMIT_MS);
});

test("a shard that becomes free while its hold is being renewed is never believed to be held by two", async () => {
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

test("however nodes come and go, no shard is ever held by two", async () => {
  const random = seeded(7);
  const run = (node: Node): void => {
    node.finishes = () => new Promise((done) => setTimeout(done, random() * 30));
    node.loop = new Loop(async () => {
      await node.leases.step();
      // Far more often than in earnest, so that steps and letting go meet.
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

/** Holds up whoever renews shards for as long as `work` takes; `waits` tells whether somebody does. */
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
