import { expect, test } from "vitest";
import { BatchEvents, BatchPart } from "../readers/event-batch.ts";
import type { LogPosition } from "./event.ts";
import { queryEvents } from "./event-log.ts";
import { readResourceHistory } from "./resource-history.ts";
import { useWorld } from "../testing/world.ts";
import { readLogRange } from "./workspace-log.ts";

const EVENTS = 20_000;
const START: LogPosition = { epoch: 1, xid: 0, seq: 0 };
const END: LogPosition = { epoch: 1, xid: 2 ** 40, seq: 0 };
/** The number of log rows that the transaction has read, by index or by scan. */
const READ = `
  select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as rows
    from pg_stat_xact_user_tables where relname = 'events'`;

const world = await useWorld();
await world.sql(
  `insert into events
       (epoch, xid, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
        resource_type, resource_id, correlation_id, created_at, data)
     select 1, (1000 + n)::text::xid8, $1, 'production', 'thing', 'thing.done', 'system', 'system',
            'Millrace', 'thing', 'thing ' || n, 'cor', now(), '{}'
       from generate_series(1, ${EVENTS}) as n`,
  [world.home],
);
await world.sql("analyze events");

test("reading a quiet environment does not scan the events of a busy one", async () => {
  const staging = { workspace: world.home, environment: "staging" } as const;
  const [read] = await world.kernel.db.write(staging, async (session) => {
    const { tx } = session;
    expect(await queryEvents(tx, {}, 50)).toEqual([]);
    expect(await queryEvents(tx, { before: END }, 50)).toEqual([]);
    expect(await readLogRange(tx, { after: START, upTo: END }, 50)).toEqual([]);
    const things = [{ id: "thing 1", after: START }];
    expect((await readResourceHistory(tx, things, { upTo: END, limit: 50 })).size).toBe(0);
    return session.send<{ rows: number }>(READ, []);
  });
  expect(read?.rows).toBe(0);
});

test("reads the events of a batch by index, independent of the number of reads and the length of the log", async () => {
  const production = { workspace: world.home, environment: "production" } as const;
  const [batch, times] = [10, 12];
  const bounds = { from: { epoch: 1, xid: 1_000 + EVENTS - batch, seq: 0 }, last: END };
  const [read] = await world.kernel.db.write(production, async (session) => {
    for (let time = 0; time < times; time += 1) {
      const place = { epoch: 1, xid: String(END.xid), seq: 0 };
      const kind = { topic: "thing", type: "thing.done", count: batch, last_at: "" };
      const row = { ...place, workspace_id: world.home, environment: "production" as const };
      const batchEvents = new BatchEvents(world.kernel.db, bounds, ["thing.done"]);
      const part = new BatchPart(batchEvents, [{ ...row, ...kind }], true);
      const events = await part.events(session, ["thing.done"]);
      // The position itself belongs to an earlier event: its number is not 0.
      expect(events).toHaveLength(batch + 1);
    }
    return session.send<{ rows: number }>(READ, []);
  });
  // For any index: it may also return rows of other partitions in between.
  expect(read?.rows).toBeLessThan(times * 2 * batch);
});
