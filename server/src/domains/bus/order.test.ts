import { expect, test } from "vitest";
import { startWorld, type World } from "#kernel/testing/world.ts";
import { startNode, send } from "./testing/node.ts";

const WRITERS = 16;
const EACH = 25;

/** Follows `nextCursor` until it has read this number of events and slightly more. */
async function follow(world: World, by: { token: string }, topic: string, count: number) {
  const seen: any[] = [];
  let after = "";
  for (;;) {
    const query = `limit=7&timeout=${seen.length < count ? 20_000 : 50}${after}`;
    const { status, body } = await send(
      world.app,
      by,
      `GET /api/v1/events/topics/${topic}/events?${query}`,
    );
    expect(status).toBe(200);
    seen.push(...body.data);
    if (body.data.length === 0) return seen;
    after = `&after=${body.pagination.nextCursor}`;
  }
}

test("following nextCursor returns every event of 16 writers on two nodes once and in order", async () => {
  await using world = await startWorld();
  await using node = await startNode(world);
  const owner = await world.member(["owner"]);
  const [{ n: before }] = await world.sql("select count(*)::int as n from events");
  const writes = WRITERS * EACH;
  const followers = [
    follow(world, owner, "busy", writes),
    follow(world, owner, "platform.events", before + writes),
  ] as const;
  const write = async (writer: number): Promise<string[]> => {
    const { app } = writer % 2 === 0 ? world : node;
    const ids: string[] = [];
    for (let n = 0; n < EACH; n += 1) {
      const body = { type: "written", payload: { writer, n } };
      const told = await send(app, owner, "POST /api/v1/events/topics/busy/publish", body);
      ids.push(told.body.data.id);
      const title = `${writer} ${n}`;
      expect((await send(app, owner, "POST /api/v1/notes", { title, body: "" })).status).toBe(201);
    }
    return ids;
  };
  const written = await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n)));
  const [busy, platform] = await Promise.all(followers);

  const ids = busy.map(({ id }) => id);
  expect(ids).toEqual(written.flat().toSorted());
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const own = busy.filter(({ data }) => data.writer === writer);
    expect(own.map(({ data }) => data.n)).toEqual(Array.from({ length: EACH }, (_, n) => n));
  }
  const everything = platform.map(({ id }) => id);
  expect(everything).toEqual(everything.toSorted());
  expect(new Set(everything).size).toBe(before + writes);
  expect(platform.filter(({ type }) => type === "note.created")).toHaveLength(writes);
  expect(platform.filter(({ resource }) => resource.type === "message")).toEqual([]);
});
