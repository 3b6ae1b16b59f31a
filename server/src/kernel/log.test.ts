import { afterAll, beforeAll, expect, test } from "vitest";
import { Part } from "./batch.ts";
import type { Partition } from "./db/database.ts";
import type { Position } from "./event.ts";
import { queryLog } from "./log.ts";
import { readResources } from "./resource-log.ts";
import { startWorld, type World } from "./testing/world.ts";
import { readSpan } from "./workspace-log.ts";

const EVENTS = 20_000;
const START: Position = { epoch: 1, xid: 0, seq: 0 };
const END: Position = { epoch: 1, xid: 2 ** 40, seq: 0 };
/** What the transaction has read of the log so far, by whichever way. */
const READ = `
  select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as rows
    from pg_stat_xact_user_tables where relname = 'events'`;

let world: World;

beforeAll(async () => {
  world = await startWorld();
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
});
afterAll(() => world[Symbol.asyncDispose]());

/** A batch that reaches over the whole log. */
function partOf({ workspace, environment }: Partition): Part {
  const row = { workspace_id: workspace, environment, topic: "thing", type: "thing.done" };
  const kind = { ...row, ...END, xid: String(END.xid), count: 1, last_at: "" };
  return new Part({ from: START, last: END }, [kind], () => true);
}

test("what happened in a quiet environment is not looked for among the events of a busy one", async () => {
  const staging = { workspace: world.home, environment: "staging" } as const;
  const [read] = await world.kernel.db.write(staging, async (session) => {
    const { tx } = session;
    expect(await queryLog(tx, {}, 50)).toEqual([]);
    expect(await queryLog(tx, { before: END }, 50)).toEqual([]);
    expect(await readSpan(tx, { after: START, upTo: END }, 50)).toEqual([]);
    expect(await partOf(staging).events(session, ["thing.done"])).toEqual([]);
    const things = [{ id: "thing 1", after: START }];
    expect((await readResources(tx, things, { upTo: END, limit: 50 })).size).toBe(0);
    return session.send<{ rows: number }>(READ, []);
  });
  expect(read?.rows).toBe(0);
});
