/** Trigger limits: runs follow from event times, exactly once, also if a node dies. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openKernel } from "#domains/bus/testing/node.ts";
import type { HoldRule } from "#domains/workflows/index.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployEventWorkflow, findRuns, publish, readEventTypes } from "../../testing/triggers.ts";
import { addEvent, emptyHold, type Hold, releaseEvents, releasePart } from "./hold.ts";

/** Simulates events at these times, with a check whenever the hold is due, until the hold is empty. */
function play(rule: HoldRule, times: readonly number[]) {
  const runs: { readonly atMs: number; readonly events: readonly string[] }[] = [];
  let hold: Hold | undefined;
  let dropped = 0;
  const release = (untilMs: number): void => {
    while (hold && hold.dueMs <= untilMs) {
      const atMs = hold.dueMs;
      const { runs: begun, rest } = releaseEvents(rule, hold, atMs);
      for (const events of begun) runs.push({ atMs, events });
      if (rest) expect(rest.dueMs).toBeGreaterThan(atMs);
      hold = rest;
    }
  };
  for (const [index, atMs] of times.entries()) {
    release(atMs);
    const before = hold ?? emptyHold(atMs);
    const { hold: after, starts } = addEvent(rule, before, String(index), atMs);
    dropped += after.dropped - before.dropped;
    if (starts) runs.push({ atMs, events: [String(index)] });
    hold = after;
  }
  release(Number.POSITIVE_INFINITY);
  expect(hold).toBeUndefined();
  return { runs, dropped };
}

const someTimes = fc
  .array(fc.nat(400), { minLength: 1, maxLength: 40 })
  .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((a, b) => a + b, 0)));
const numRuns = tries(200, 5_000);

test("a debounce starts one run after each quiet period, at the latest after its maximum wait", () => {
  const rules = fc.record({
    kind: fc.constant("debounce" as const),
    quietMs: fc.integer({ min: 10, max: 500 }),
    maxMs: fc.option(fc.integer({ min: 500, max: 2_000 }), { nil: undefined }),
    keep: fc.constantFrom("last" as const, "first" as const),
  });
  fc.assert(
    fc.property(rules, someTimes, ({ maxMs, ...rest }, times) => {
      const rule: HoldRule = { ...rest, ...(maxMs !== undefined && { maxMs }) };
      const { runs } = play(rule, times);
      // An independent reference implementation.
      const expected: { atMs: number; events: string[] }[] = [];
      for (let first = 0; first < times.length;) {
        let last = first;
        let due = (times[first] ?? 0) + rule.quietMs;
        const latest = (times[first] ?? 0) + (maxMs ?? Number.POSITIVE_INFINITY);
        while (last + 1 < times.length && (times[last + 1] ?? 0) < Math.min(due, latest)) {
          last += 1;
          due = (times[last] ?? 0) + rule.quietMs;
        }
        const kept = rule.keep === "first" ? first : last;
        expected.push({ atMs: Math.min(due, latest), events: [String(kept)] });
        first = last + 1;
      }
      expect(runs).toEqual(expected);
    }),
    { numRuns },
  );
});

test("batches contain each event once, in order, and respect the size and time limits", () => {
  const rules = fc.record({
    kind: fc.constant("batch" as const),
    max: fc.integer({ min: 2, max: 8 }),
    maxMs: fc.integer({ min: 10, max: 1_000 }),
  });
  fc.assert(
    fc.property(rules, someTimes, (rule, times) => {
      const { runs } = play(rule, times);
      expect(runs.flatMap(({ events }) => events)).toEqual(times.map((_, index) => String(index)));
      for (const { atMs, events } of runs) {
        expect(events.length).toBeLessThanOrEqual(rule.max);
        const first = times[Number(events[0])] ?? 0;
        const last = times[Number(events.at(-1))] ?? 0;
        expect(atMs).toBe(events.length === rule.max ? last : first + rule.maxMs);
      }
    }),
    { numRuns },
  );
});

test("a rate limit allows a burst plus its rate in each window, and loses no event", () => {
  const rules = fc.record({
    kind: fc.constant("rateLimit" as const),
    max: fc.integer({ min: 1, max: 5 }),
    perMs: fc.integer({ min: 10, max: 2_000 }),
    over: fc.constantFrom("wait" as const, "drop" as const),
  });
  fc.assert(
    fc.property(rules, someTimes, (rule, times) => {
      const { runs, dropped } = play(rule, times);
      const interval = Math.ceil(rule.perMs / rule.max);
      for (const [index, { atMs }] of runs.entries()) {
        const earlier = runs.slice(0, index + 1);
        for (const [from, { atMs: beginMs }] of earlier.entries()) {
          const allowed = rule.max + Math.floor((atMs - beginMs) / interval);
          expect(index - from + 1).toBeLessThanOrEqual(allowed);
        }
      }
      const begun = runs.flatMap(({ events }) => events);
      expect(begun).toEqual(begun.toSorted((a, b) => Number(a) - Number(b)));
      expect(begun.length + dropped).toBe(times.length);
      if (rule.over === "wait") expect(dropped).toBe(0);
    }),
    { numRuns },
  );
});

test("a hold released in parts starts the same runs, and each check starts at least one", () => {
  const rules = fc.oneof(
    fc.record({
      kind: fc.constant("batch" as const),
      max: fc.integer({ min: 2, max: 8 }),
      maxMs: fc.integer({ min: 10, max: 1_000 }),
    }),
    fc.record({
      kind: fc.constant("rateLimit" as const),
      max: fc.integer({ min: 1, max: 30 }),
      perMs: fc.integer({ min: 10, max: 2_000 }),
    }),
  );
  const some = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(
      rules,
      some,
      fc.integer({ min: 1, max: 10 }),
      fc.nat(900),
      (rule, count, most, nowMs) => {
        const events = Array.from({ length: count }, (_, n) => String(n));
        const hold: Hold = { ...emptyHold(0), events, heard: count };
        const whole = releaseEvents(rule, hold, nowMs);
        const runs: (readonly string[])[] = [];
        let left: Hold | undefined = hold;
        while (left && left.dueMs <= nowMs) {
          const part = releasePart(rule, left, nowMs, most);
          // Otherwise the hold would be checked forever.
          if (runs.length < whole.runs.length) expect(part.runs.length).toBeGreaterThan(0);
          else expect(part.rest?.dueMs ?? nowMs + 1).toBeGreaterThan(nowMs);
          runs.push(...part.runs);
          left = part.rest;
        }
        expect([runs, left]).toEqual([whole.runs, whole.rest]);
      },
    ),
    { numRuns },
  );
});

const world = await useWorld();
const owner = await world.member(["owner"]);
const LONG_MS = 3_600_000;

const showEvents = {
  id: "show",
  type: "transform",
  config: { expression: "trigger.events ? trigger.events.data.n : trigger.event.data.n" },
};

/** Publishes numbers for a key, and waits until the trigger has received them. */
async function publishAll(topic: string, id: string, numbers: readonly number[], key = "a") {
  for (const n of numbers) await publish(owner, topic, { type: "tick", payload: { n, key } });
  return until(async () => {
    const [row] = await world.sql(
      `select exists (select from events e join readers r on r.name = 'runs.triggers'
                       where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq)) as behind`,
    );
    const { body } = await owner(`GET /api/v1/workflows/${id}/held-events`);
    return !row.behind && body.data.held;
  });
}

const outputs = async (id: string, count: number): Promise<unknown[]> =>
  until(async () => {
    const runs = await findRuns(world, id);
    const ended = runs.filter(({ status }) => status === "completed");
    return ended.length >= count && ended.map(({ output }) => output);
  });

test("events are held by key, start one run per group after a node died, and are visible while held", async () => {
  const first = await openKernel(world);
  await first.startWork();
  const key = "event.data.key";
  const deploy = (topic: string, more: object) =>
    deployEventWorkflow(owner, { topic, ...more }, [showEvents]);
  const debounced = await deploy("quiet", { debounce: { key, quietMs: LONG_MS } });
  const batched = await deploy("lots", { batch: { key, max: 3, maxMs: LONG_MS } });
  const limited = await deploy("rate", { rateLimit: { key, max: 1, perMs: LONG_MS } });
  const dropping = await deploy("less", { rateLimit: { max: 1, perMs: LONG_MS, over: "drop" } });
  const once = await deploy("once", { dedupe: { key: "event.data.n", windowMs: LONG_MS } });

  await publishAll("quiet", debounced, [1, 2, 3]);
  expect(await publishAll("quiet", debounced, [4], "b")).toMatchObject([
    { kind: "debounce", key: "a", held: 1, heard: 3, dropped: 0 },
    { kind: "debounce", key: "b", held: 1, heard: 1 },
  ]);
  await publishAll("lots", batched, [1, 2, 3, 4]);
  expect(await outputs(batched, 1)).toEqual([[1, 2, 3]]);
  expect(await publishAll("rate", limited, [1, 2, 3])).toMatchObject([{ held: 2, heard: 3 }]);
  expect(await outputs(limited, 1)).toEqual([1]);
  expect(await publishAll("less", dropping, [1, 2])).toMatchObject([
    { held: 0, dropped: 1, dueAt: null },
  ]);
  await publishAll("once", once, [7, 7, 8, 7]);
  expect(await outputs(once, 2)).toEqual([7, 8]);

  // Simulates a kill: nothing in the memory of this node remains.
  const died = new Error("died");
  const { write, system } = first.db;
  first.db.write = async () => Promise.reject(died);
  first.db.system = async () => Promise.reject(died);
  await world.sql("delete from lanes; delete from lane_nodes");
  world.clock.advance(LONG_MS + 1_000);
  const second = await openKernel(world);
  await second.startWork();
  expect((await outputs(debounced, 2)).toSorted()).toEqual([3, 4]);
  expect(await outputs(batched, 2)).toEqual([[1, 2, 3], 4]);
  expect(await outputs(limited, 2)).toEqual([1, 2]);
  world.clock.advance(LONG_MS + 1_000);
  expect(await outputs(limited, 3)).toEqual([1, 2, 3]);
  const [run] = await findRuns(world, debounced);
  expect(await readEventTypes(world, [run.id])).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  // Ended holds are deleted.
  world.clock.advance(LONG_MS + 1_000);
  await until(async () => (await world.sql("select from trigger_holds")).length === 0);
  Object.assign(first.db, { write, system });
  await Promise.all([first.close(), second.close()]);
});

test("errors in limits include the path; deactivating a trigger drops its held events", async () => {
  const bad = {
    type: "event_bus",
    topic: "x",
    debounce: { quietMs: 100, maxMs: 50 },
    batch: { max: 2, maxMs: 100 },
  };
  const saved = await owner("POST /api/v1/workflows", {
    name: "Bad",
    trigger: bad,
    nodes: [],
    edges: [],
  });
  expect(saved.body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/trigger/batch",
    "/trigger/debounce/maxMs",
  ]);
  const kernel = await openKernel(world);
  await kernel.startWork();
  const id = await deployEventWorkflow(owner, { topic: "off", debounce: { quietMs: LONG_MS } });
  await publishAll("off", id, [1]);
  await owner(`POST /api/v1/workflows/${id}/deactivate`, {});
  world.clock.advance(LONG_MS + 1_000);
  await until(async () => (await world.sql("select from trigger_holds")).length === 0);
  expect(await findRuns(world, id)).toEqual([]);
  await kernel.close();
});

test("holds with failing starts stop with the reason after ten attempts, and start once when possible", async () => {
  const kernel = await openKernel(world);
  await kernel.startWork();
  const rule = { batch: { max: 2, maxMs: LONG_MS } };
  const id = await deployEventWorkflow(owner, { topic: "poison", ...rule }, [showEvents]);
  await world.sql(`
    create function refuse_run() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse_run before insert on runs for each row when (new.workflow_id = '${id}')
      execute function refuse_run()`);
  await publishAll("poison", id, [1, 2]);
  const held = await until(async () => {
    world.clock.advance(LONG_MS);
    const { body } = await owner(`GET /api/v1/workflows/${id}/held-events`);
    return body.data.held[0]?.failures >= 10 && body.data.held;
  });
  expect(held).toMatchObject([
    { held: 2, failures: 10, reason: "An internal error. See the log of the server." },
  ]);
  expect(await world.sql("select from jobs where kind = 'runs.release_events'")).toEqual([]);
  await world.sql("drop trigger refuse_run on runs");
  // The first event has exceeded its maximum wait, so the next event starts a run with all of them at once.
  await publishAll("poison", id, [3]);
  expect((await outputs(id, 2)).toSorted()).toEqual([[1, 2], 3]);
  await until(async () => (await world.sql("select from trigger_holds")).length === 0);
  await kernel.close();
});
