import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const columns = [
  { name: "n", type: "integer" },
  { name: "kind", type: "text" },
];
const ROUNDS = 8;
const WRITERS = 8;

/** Each event of a record, oldest first. */
async function chainOf({ path }: FilledTable, id: string): Promise<any[]> {
  const { body } = await owner(`GET ${path}/${id}/history?limit=200`);
  return body.data.toReversed();
}

test("concurrent changes of a record produce a continuous sequence of events", async () => {
  const table = await createFilledTable(world, owner, { columns }, [{ n: 0, kind: "a" }]);
  const id = table.ids[0] ?? "";
  for (let round = 0; round < ROUNDS; round += 1) {
    const changes = Array.from({ length: WRITERS }, (_, index) => {
      const n = round * WRITERS + index + 1;
      // Bulk changes have already locked other records before this one.
      if (index === 0)
        return owner(`PATCH ${table.path}/bulk`, { filter: { kind: "a" }, set: { n } });
      return owner(`PATCH ${table.path}/${id}`, { n });
    });
    await Promise.all(changes);
  }
  const { body } = await owner(`GET ${table.path}/${id}`);
  const updates = (await chainOf(table, id)).filter(({ type }) => type === "record.updated");
  expect(updates.length).toBeGreaterThan(ROUNDS);
  let [now, at] = [0, ""];
  for (const { data } of updates) {
    expect(data.before.n).toBe(now);
    expect(data.after.updatedAt >= at).toBe(true);
    [now, at] = [data.after.n, data.after.updatedAt];
  }
  expect(body.data).toMatchObject({ n: now, updatedAt: at });
});

test("no event of a record follows its deletion", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const records = Array.from({ length: 20 }, (_, n) => ({ n, kind: "a" }));
    const table = await createFilledTable(world, owner, { columns }, records);
    const gone = encodeURIComponent(JSON.stringify({ kind: "a" }));
    await Promise.all([
      ...table.ids.map((id) => owner(`PATCH ${table.path}/${id}`, { n: 100 })),
      owner(`DELETE ${table.path}/bulk?filter=${gone}`),
    ]);
    for (const id of table.ids) {
      expect((await chainOf(table, id)).at(-1)).toMatchObject({ type: "record.deleted" });
    }
  }
});
