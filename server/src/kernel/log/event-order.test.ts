/** Log order: an event comes after all events its transaction waited for. */
import { expect, test } from "vitest";
import type { Partition, Transaction } from "../db/database.ts";
import { appendEvents, queryEvents } from "./event-log.ts";
import { compileSubscriptionStart } from "./subscription-start.ts";
import { useWorld } from "../testing/world.ts";

const world = await useWorld();
const here: Partition = { workspace: world.home, environment: "production" };

function tell(session: Transaction, id: string): void {
  appendEvents(
    session,
    {
      actor: { type: "system", id: "system", name: "Millrace" },
      at: new Date(),
      cause: { correlationId: "cor", depth: 0 },
    },
    [{ type: "thing.done", topic: "thing", resourceType: "thing", resource: { id }, data: {} }],
  );
}

const SETTLED = "e.xid < pg_snapshot_xmin(pg_current_snapshot())";
const told = async (condition = "true"): Promise<string[]> => {
  const rows = await world.sql(
    `select resource_id as id from events e where topic = 'thing' and ${condition} order by epoch, xid, seq`,
  );
  return rows.map(({ id }) => id);
};

/** Starts a transaction that has an id and appends on request. */
async function begun() {
  const [id, turn] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const done = world.kernel.db.write(here, async (session) => {
    await session.send("select pg_current_xact_id()", []);
    id.resolve();
    tell(session, await turn.promise);
  });
  await id.promise;
  return (name: string) => {
    turn.resolve(name);
    return done;
  };
}

test("sorts an event after all earlier commits, regardless of transaction start order", async () => {
  const [first, second, third] = [await begun(), await begun(), await begun()];
  await third("third");
  await world.kernel.db.write(here, async (session) => tell(session, "whole"));
  // Earlier transactions can still append at its position, but never before it.
  expect(await told(SETTLED)).toEqual([]);
  await first("first");
  expect(await told(SETTLED)).toEqual([]);
  await second("second");
  expect(await told()).toEqual(["third", "whole", "first", "second"]);
  // This remains true without further events.
  await world.settled();
  expect(await told(SETTLED)).toEqual(["third", "whole", "first", "second"]);
});

test("a subscription started during a transaction gets all its events and no earlier ones", async () => {
  const one = (id: string) => world.kernel.db.write(here, async (session) => tell(session, id));
  let snapshot = "";
  await world.kernel.db.write(here, async (session) => {
    await session.send("select pg_current_xact_id()", []);
    await one("before");
    tell(session, "its first");
    await session.send("select", []);
    await one("before, too");
    const [row] = await world.sql("select pg_current_snapshot()::text as snapshot");
    snapshot = row.snapshot;
    await one("after");
    tell(session, "its last");
  });
  const hears = compileSubscriptionStart({ epoch: world.kernel.commitFeed.epoch, snapshot });
  const events = await world.kernel.db.read(here, (tx) => queryEvents(tx, {}, 5));
  const heard = events.toReversed().map((event) => [event.resource.id, hears(event)]);
  expect(heard).toEqual([
    ["before", false],
    ["its first", true],
    ["before, too", false],
    ["after", true],
    ["its last", true],
  ]);
});
