import { expect, test } from "vitest";
import { until, useWorld, type World } from "../testing/world.ts";

const world = await useWorld();
const agent = await world.member(["owner"]);

let count = 0;
const fresh = () => ({ "idempotency-key": `key-${(count += 1)}` });
const draft = () => ({ title: `Once ${(count += 1)}`, body: "Text" });

test("replays the first response with its headers, also if fields are in another order", async () => {
  const key = fresh();
  const first = await agent("POST /api/v1/notes", { title: "Same", body: "Text" }, key);
  const again = await agent("POST /api/v1/notes", { body: "Text", title: "Same" }, key);
  expect(again).toMatchObject({ status: 201, events: [] });
  expect(again.body).toEqual(first.body);
  expect(again.headers).toMatchObject({
    "idempotency-replayed": "true",
    location: first.headers["location"],
    etag: first.headers["etag"],
  });
});

test("rejects a different request with the same key: other body, operation or environment", async () => {
  const key = fresh();
  const body = draft();
  await agent("POST /api/v1/notes", body, key);
  const reused = { status: 422, body: { code: "idempotency_key_reused" }, events: [] };
  expect(await agent("POST /api/v1/notes", draft(), key)).toMatchObject(reused);
  expect(await agent("POST /api/v1/auth/tokens", body, key)).toMatchObject(reused);
  expect(await agent("POST /api/notes", body, key)).toMatchObject({ status: 201, events: [] });
  const staging = { ...key, "x-environment": "staging" };
  expect(await agent("POST /api/v1/notes", body, staging)).toMatchObject(reused);
});

test("replays a failure even if its cause no longer exists", async () => {
  const taken = draft();
  const { body } = await agent("POST /api/v1/notes", taken);
  const key = fresh();
  const first = await agent("POST /api/v1/notes", taken, key);
  expect(first).toMatchObject({ status: 409, body: { code: "title_taken" }, events: [] });
  await agent(`DELETE /api/v1/notes/${body.data.id}`);
  const again = await agent("POST /api/v1/notes", taken, key);
  expect(again).toMatchObject({
    status: 409,
    events: [],
    headers: { "idempotency-replayed": "true" },
  });
  expect(again.body).toEqual(first.body);
  const invalid = fresh();
  expect(await agent("POST /api/v1/notes", {}, invalid)).toMatchObject({ status: 422 });
  expect(await agent("POST /api/v1/notes", {}, invalid)).toMatchObject({
    status: 422,
    headers: { "idempotency-replayed": "true" },
  });
});

test("keys of other credentials are independent", async () => {
  const key = fresh();
  const body = draft();
  await agent("POST /api/v1/notes", body, key);
  const colleague = await world.member(["owner"]);
  expect(await colleague("POST /api/v1/notes", body, key)).toMatchObject({
    status: 409,
    body: { code: "title_taken" },
  });
});

test("one of many concurrent requests with a key runs; the others replay or conflict", async () => {
  const key = fresh();
  const body = draft();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => agent("POST /api/v1/notes", body, key)),
  );
  const acted = answers.filter(({ events }) => events.length > 0);
  expect(acted).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 409) expect(answer.body.code).toBe("idempotency_in_progress");
    else expect(answer.body).toEqual(acted[0]?.body);
  }
  const rows = await world.sql("select count(*)::int as n from notes where title = $1", [
    body.title,
  ]);
  expect(rows).toEqual([{ n: 1 }]);
});

test("a second request conflicts while the first is running", async () => {
  const key = fresh();
  const taken = draft();
  const { body } = await agent("POST /api/v1/notes", taken);
  const path = `PATCH /api/v1/notes/${body.data.id}`;
  const client = await holdNote(body.data.id);
  const first = agent(path, { body: "Changed" }, key);
  await waitForBlocked(world);
  expect(await agent(path, { body: "Changed" }, key)).toMatchObject({
    status: 409,
    body: { code: "idempotency_in_progress" },
    events: [],
  });
  await client.release();
  expect(await first).toMatchObject({ status: 200, events: ["note.updated"] });
});

test("a key can be reused after a day", async () => {
  const key = fresh();
  const body = draft();
  await agent("POST /api/v1/notes", body, key);
  world.clock.advance(24 * 3_600_000);
  expect(await agent("POST /api/v1/notes", { ...body, title: "Next day" }, key)).toMatchObject({
    status: 201,
    events: ["note.created"],
  });
});

test("stored responses are sealed in the database", async () => {
  await agent("POST /api/v1/notes", { title: "Xyzzy plugh", body: "Text" }, fresh());
  const rows = await world.sql("select encode(answer, 'escape') as text from idempotency_keys");
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ text }) => text.includes("Xyzzy") || text.includes("data"))).toEqual([]);
});

test("rejects an invalid key", async () => {
  const key = { "idempotency-key": "x".repeat(256) };
  expect(await agent("POST /api/v1/notes", draft(), key)).toMatchObject({
    status: 422,
    events: [],
  });
});

async function holdNote(id: string): Promise<{ release: () => Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const partition = { workspace: world.home, environment: "production" } as const;
  const done = world.kernel.db.write(partition, async (session) => {
    await session.send("select from notes where id = $1 for update", [id]);
    held.resolve();
    await promise;
  });
  await held.promise;
  return {
    release: async () => {
      resolve();
      await done;
    },
  };
}

/** Waits until a transaction of this database is blocked by a row lock. */
async function waitForBlocked({ sql }: World): Promise<void> {
  await until(async () => {
    const waiting = await sql(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waiting.length > 0;
  });
}
