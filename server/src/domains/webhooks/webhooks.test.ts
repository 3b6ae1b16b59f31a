import { describe, expect, test } from "vitest";
import { PAGER, useWebhooks, WEBHOOKS } from "./testing/webhook.ts";

const { world, owner, create: made, lastEvent } = await useWebhooks();

test("a minimal webhook gets the defaults", async () => {
  const answer = await owner(`POST ${WEBHOOKS}`, PAGER);
  expect(answer).toMatchObject({ status: 201, events: ["webhook.created"] });
  const { id } = answer.body.data;
  expect(answer.headers["location"]).toBe(`${WEBHOOKS}/${id}`);
  expect(answer.headers["etag"]).toBe('"1"');
  const common = {
    ...PAGER,
    id,
    environments: null,
    filter: null,
    headers: {},
    format: "millrace",
    retries: 3,
    retryStrategy: "exponential",
    retryMaxDelayMs: null,
    timeoutMs: 10_000,
    maxPerSecond: null,
    hasSecret: false,
    hearsAudit: true,
    previousSecretExpiresAt: null,
    status: "active",
    pausedBecause: null,
    pausedAt: null,
    catchingUp: false,
    consecutiveFailures: 0,
    createdBy: owner.userId,
    savedBy: owner.userId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  };
  const respelt = {
    retry_strategy: "exponential",
    retry_max_delay_ms: null,
    timeout_ms: 10_000,
    max_per_second: null,
  };
  expect(answer.body.data).toEqual({ ...common, ...respelt });
  expect((await owner(`GET ${WEBHOOKS}/${id}`)).body.data).toEqual(answer.body.data);
  const event = await lastEvent(id);
  expect(event).toMatchObject({
    type: "webhook.created",
    environment: "production",
    resource: { type: "webhook", id, displayName: "Pager" },
  });
  // Events use one spelling, so that a change names a field once.
  expect(event.data).toEqual(common);
});

describe("a change", () => {
  test("an update emits one event with the changed fields", async () => {
    const { id } = await made({ environments: ["staging"], filter: { "data.a": 1 } });
    const changed = await owner(`PATCH ${WEBHOOKS}/${id}`, {
      name: "Bell",
      environments: null,
      filter: null,
      events: ["incident.*"],
      format: "cloudevents",
    });
    expect(changed).toMatchObject({
      status: 200,
      events: ["webhook.updated"],
      body: { data: { name: "Bell", environments: null, filter: null, format: "cloudevents" } },
    });
    expect(changed.headers["etag"]).toBe('"2"');
    const { data } = await lastEvent(id);
    expect(data.changes).toEqual(["name", "environments", "filter", "format"]);
    expect(data.before).toMatchObject({ name: "Pager", environments: ["staging"] });
    expect(data.after).toMatchObject({ name: "Bell", environments: null });
  });

  test("a changed secret is reported without its value", async () => {
    const { id } = await made({ secret: "the first one" });
    const changed = await owner(`PATCH ${WEBHOOKS}/${id}`, { secret: "the second one" });
    expect(changed.events).toEqual(["webhook.updated"]);
    expect((await lastEvent(id)).data.changes).toEqual(["secret"]);
    await owner(`PATCH ${WEBHOOKS}/${id}`, { secret: null });
    expect((await lastEvent(id)).data.changes).toEqual(["hasSecret", "secret"]);
  });

  test("an update without changes emits an event without changes", async () => {
    const { id } = await made();
    expect((await owner(`PATCH ${WEBHOOKS}/${id}`, { name: "Pager" })).events).toEqual([
      "webhook.updated",
    ]);
    expect((await lastEvent(id)).data.changes).toEqual([]);
  });

  test("requires the revision in If-Match", async () => {
    const { id } = await made();
    const first = await owner(`PATCH ${WEBHOOKS}/${id}`, { name: "B" }, { "if-match": '"1"' });
    expect(first.status).toBe(200);
    const late = await owner(`PATCH ${WEBHOOKS}/${id}`, { name: "C" }, { "if-match": '"1"' });
    expect(late).toMatchObject({ status: 412, events: [] });
    const rotated = await owner(`POST ${WEBHOOKS}/${id}/secret/rotate`);
    expect(rotated.headers["etag"]).toBe('"3"');
  });
});

test("a workspace has at most 2000 webhooks", async () => {
  const crowded = await world.member(["owner"], await world.workspace("crowded"));
  const first = await crowded(`POST ${WEBHOOKS}`, PAGER);
  await world.sql(
    `insert into webhooks (id, workspace_id, name, url, events, format, retries, retry_strategy,
                           timeout_ms, status, since_epoch, lane, created_by, created_at, updated_at)
     select 'whk_' || n, workspace_id, name, url, events, format, retries, retry_strategy,
            timeout_ms, status, since_epoch, lane, created_by, created_at, updated_at
       from webhooks, generate_series(1, 1998) as n where id = $1`,
    [first.body.data.id],
  );
  // One webhook fits below the limit: of two concurrent creations, one is rejected.
  const two = await Promise.all([1, 2].map(() => crowded(`POST ${WEBHOOKS}`, PAGER)));
  const [last, refused] = two.toSorted((one, other) => one.status - other.status);
  expect(last).toMatchObject({ status: 201, events: ["webhook.created"] });
  expect(refused).toMatchObject({ status: 409, body: { code: "too_many_webhooks" }, events: [] });
  await made();
  await crowded(`DELETE ${WEBHOOKS}/${last?.body.data.id}`);
  expect((await crowded(`POST ${WEBHOOKS}`, PAGER)).status).toBe(201);
});

test("lists are newest first, paged, and separate per workspace", async () => {
  const elsewhere = await world.member(["owner"], await world.workspace("listing"));
  const ids = [];
  for (const name of ["a", "b", "c"]) {
    ids.unshift((await elsewhere(`POST ${WEBHOOKS}`, { ...PAGER, name })).body.data.id);
    // Ids sort by the millisecond.
    world.clock.advance(1);
  }
  const first = await elsewhere(`GET ${WEBHOOKS}?limit=2`);
  expect(first.body.data.map(({ id }: any) => id)).toEqual(ids.slice(0, 2));
  const { nextCursor } = first.body.pagination;
  const rest = await elsewhere(`GET ${WEBHOOKS}?limit=2&after=${nextCursor}`);
  expect(rest.body.data.map(({ id }: any) => id)).toEqual(ids.slice(2));
  expect(rest.body.pagination).toMatchObject({ nextCursor: null, hasMore: false });
  const staged = await elsewhere(`GET ${WEBHOOKS}`, undefined, { "x-environment": "staging" });
  expect(staged.body.data).toHaveLength(3);
  const { body } = await elsewhere("GET /api/v1/workspaces/listing/stats");
  expect(body.data.counts.webhooks).toBe(3);
});

test("viewers and auditors read, builders write, and members may do neither", async () => {
  const { id } = await made();
  for (const [role, reads, writes] of [
    ["viewer", 200, 403],
    ["auditor", 200, 403],
    ["builder", 200, 200],
    ["member", 403, 403],
  ] as const) {
    const ask = await world.member([role]);
    expect((await ask(`GET ${WEBHOOKS}/${id}`)).status, role).toBe(reads);
    expect((await ask(`PATCH ${WEBHOOKS}/${id}`, { name: role })).status, role).toBe(writes);
  }
});
