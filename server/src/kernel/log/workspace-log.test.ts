import { expect, test } from "vitest";
import type { LogPosition } from "./event.ts";
import { useWorld } from "../testing/world.ts";
import { findPositionBefore, readLogRange, readWorkspaceLog } from "./workspace-log.ts";

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.parse("2020-01-01T00:00:00Z");
const END: LogPosition = { epoch: 1, xid: 2 ** 40, seq: 0 };
const EVENTS = 24;

/** One event per hour. The first half comes from another cluster with higher numbers. */
const world = await useWorld();
const environments = ["production", "staging", "development"];
for (let n = 0; n < EVENTS; n += 1) {
  const early = n < EVENTS / 2;
  await world.sql(
    `insert into events
         (epoch, xid, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
          resource_type, resource_id, correlation_id, created_at, data)
       values ($1, $2, $3, $4, 'thing', 'thing.done', 'system', 'system', 'Millrace',
               'thing', $5, 'cor', $6, '{}')`,
    [
      early ? 0 : 1,
      String((early ? 2 ** 35 : 0) + 10 + n * 7),
      world.home,
      environments[n % 3],
      `thing ${n}`,
      new Date(FIRST_MS + n * HOUR_MS),
    ],
  );
}

const numbersOf = (events: readonly { resource: { id: string } }[]) =>
  events
    .filter(({ resource }) => resource.id.startsWith("thing"))
    .map(({ resource }) => Number(resource.id.slice("thing ".length)));

async function since(time: Date): Promise<number[]> {
  const after = await findPositionBefore(world.kernel.db, time);
  const span = { after, upTo: END };
  return numbersOf(await readWorkspaceLog(world.kernel.db, world.home, span, 1_000));
}

test("finds the log position for a time in every epoch without missing events", async () => {
  for (const n of [0, 1, EVENTS / 2 - 1, EVENTS / 2, EVENTS - 1]) {
    const atMs = FIRST_MS + n * HOUR_MS;
    // At most one additional event, from the exact hour or a time after it.
    expect((await since(new Date(atMs)))[0]).toBe(n);
    expect((await since(new Date(atMs + 1_000)))[0]).toBe(n);
    const later = (await since(new Date(atMs + HOUR_MS / 2)))[0];
    expect(later).toBe(n + 1 === EVENTS ? undefined : n + 1);
  }
  expect(await since(new Date(0))).toHaveLength(EVENTS);
});

test("reads a workspace's log over all environments, in order, within its range and limit", async () => {
  const start = { epoch: 0, xid: 0, seq: 0 };
  const { db } = world.kernel;
  const all = await readWorkspaceLog(db, world.home, { after: start, upTo: END }, 1_000);
  expect(numbersOf(all)).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
  const [after, upTo] = [all[4]?.position ?? END, all[19]?.position ?? END];
  const part = await readWorkspaceLog(db, world.home, { after, upTo }, 1_000);
  expect(numbersOf(part)).toEqual(Array.from({ length: 15 }, (_, n) => n + 5));
  const few = await readWorkspaceLog(db, world.home, { after, upTo }, 7);
  expect(few).toEqual(part.slice(0, 7));
  const other = await world.workspace("next-door");
  expect(await readWorkspaceLog(db, other.key, { after: start, upTo: END }, 10)).toEqual([]);

  const staging = { workspace: world.home, environment: "staging" } as const;
  const one = await db.read(staging, (tx) => readLogRange(tx, { after, upTo }, 1_000));
  expect(one).toEqual(part.filter(({ environment }) => environment === "staging"));
});
