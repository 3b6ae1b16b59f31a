import { expect, test } from "vitest";
import type { EventTypeCount } from "../contract.ts";
import { advanceReader, reader, registerReaders } from "./reader.ts";
import { useWorld } from "../testing/world.ts";

const world = await useWorld();

const AT = "2026-01-02T03:04:05.000Z";

/** Appends events at intervals of one second. */
async function append(environment: "production" | "staging", types: readonly string[]) {
  const partition = { workspace: world.home, environment } as const;
  await world.kernel.db.write(partition, async (session) => {
    for (const [n, type] of types.entries()) {
      await session.send(
        `insert into events (epoch, topic, type, actor_id, actor_type, actor_name, resource_type,
                             resource_id, correlation_id, created_at, data)
         values ($1, 'thing', $2, 'x', 'system', 'x', 'thing', $3, 'cor', $4, '{}')`,
        [world.kernel.commitFeed.epoch, type, `${type} ${n}`, new Date(Date.parse(AT) + n * 1_000)],
      );
    }
  });
}

test("a summary has each event type once, and events are read in order", async () => {
  const seen: Record<string, { kinds: readonly EventTypeCount[]; read: readonly string[] }> = {};
  const glancing = reader({
    name: "test.glancing",
    on: ["thing.*"],
    startsAt: "end",
    async handleSummary({ caller, events }, kinds) {
      await events(["thing.begun"]);
      const read = await events(["thing.done", "thing.begun", "thing.done"]);
      const byType = kinds.toSorted((a, b) => (a.type < b.type ? -1 : 1));
      seen[caller.environment] = { kinds: byType, read: read.map(({ resource }) => resource.id) };
    },
  });
  await registerReaders(world.kernel, [glancing]);
  const kind = (type: string, count: number, lastAt: string) => ({
    topic: "thing",
    type,
    count,
    lastAt: AT.replace("05.000", lastAt),
  });
  await append("production", ["thing.begun", "thing.done", "thing.left", "thing.begun", "other.x"]);
  await append("staging", ["thing.done"]);
  await world.settled();
  await advanceReader(world.kernel, glancing);
  expect(seen).toEqual({
    production: {
      kinds: [
        kind("thing.begun", 2, "08.000"),
        kind("thing.done", 1, "06.000"),
        kind("thing.left", 1, "07.000"),
      ],
      read: ["thing.begun 0", "thing.done 1", "thing.begun 3"],
    },
    staging: { kinds: [kind("thing.done", 1, "05.000")], read: ["thing.done 0"] },
  });
});

test("limits batch length and continues with the next batch", async () => {
  const counts: number[] = [];
  const counting = reader({
    name: "test.counting",
    on: ["thing.*"],
    startsAt: "end",
    async handleSummary(_, kinds) {
      counts.push(...kinds.map(({ count }) => count));
    },
  });
  await registerReaders(world.kernel, [counting]);
  await append(
    "production",
    Array.from({ length: 5 }, () => "thing.done"),
  );
  await world.settled();
  expect(await advanceReader(world.kernel, counting, { eventsMax: 2 })).toBe("again");
  expect(await advanceReader(world.kernel, counting, { eventsMax: 2 })).toBe("again");
  expect(await advanceReader(world.kernel, counting, { eventsMax: 2 })).not.toBe("again");
  expect(counts).toEqual([2, 2, 1]);
});
