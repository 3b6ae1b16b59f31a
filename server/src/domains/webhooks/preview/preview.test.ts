import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const ids: string[] = [];
const world = await useWorld();
const owner = await world.member(["owner"], await world.workspace("previewed"));
const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));
for (let index = 0; index < 6; index += 1) {
  const note = { title: `Note ${index}`, body: index % 2 === 0 ? "even" : "odd" };
  ids.push((await owner("POST /api/v1/notes", note)).body.data.id);
  world.clock.advance(1_000);
}
await owner(`PATCH /api/v1/notes/${ids[0]}`, { body: "odd" });
await owner("POST /api/v1/notes", { title: "Staged", body: "" }, { "x-environment": "staging" });
await elsewhere("POST /api/v1/notes", { title: "Theirs", body: "even" });

const preview = async (span: object, headers: Record<string, string> = {}) =>
  owner("POST /api/v1/webhooks/preview", span, headers);
const titles = ({ body }: any) =>
  body.data.events.map(({ data }: any) => (data.after ?? data).title);

test("returns matching past events, newest first, as in the log", async () => {
  const answer = await preview({ events: ["note.created"] });
  expect(answer).toMatchObject({ status: 200, events: [] });
  expect(titles(answer)).toEqual(["Note 5", "Note 4", "Note 3", "Note 2", "Note 1", "Note 0"]);
  expect(answer.body.data).toMatchObject({ scanned: 7, truncated: false });
  const [first] = answer.body.data.events;
  expect((await owner(`GET /api/v1/audit/${first.id}`)).body.data).toEqual(first);
});

test("the filter applies to the data of a delivery, which contains the current state for a change", async () => {
  const odd = await preview({ events: ["note.*"], filter: { "data.body": "odd" } });
  expect(titles(odd)).toEqual(["Note 0", "Note 5", "Note 3", "Note 1"]);
  const changed = await preview({
    events: ["*"],
    filter: { "before.body": "even", changes: { contains: "body" } },
  });
  expect(titles(changed)).toEqual(["Note 0"]);
  const nobody = await preview({ events: ["*"], filter: { "actor.type": "workflow" } });
  expect(nobody.body.data).toMatchObject({ events: [], scanned: 7 });
});

test("a time range includes `from` and excludes `to`", async () => {
  const all = (await preview({ events: ["note.created"] })).body.data.events;
  const [from, to] = [all[3].createdAt, all[1].createdAt];
  expect(titles(await preview({ events: ["note.created"], from, to }))).toEqual([
    "Note 3",
    "Note 2",
  ]);
});

test("reports results that exceed the limit", async () => {
  const two = await preview({ events: ["note.created"], limit: 2 });
  expect(titles(two)).toEqual(["Note 5", "Note 4"]);
  expect(two.body.data.truncated).toBe(true);
  const exact = await preview({ events: ["note.created"], limit: 6 });
  expect(exact.body.data).toMatchObject({ scanned: 7, truncated: false });
});

test("each environment is previewed separately, and the webhook may exclude it", async () => {
  const staging = { "x-environment": "staging" };
  expect(titles(await preview({ events: ["*"] }, staging))).toEqual(["Staged"]);
  const deaf = await preview({ events: ["*"], environments: ["production"] }, staging);
  expect(deaf.body.data).toEqual({ events: [], missing: [], scanned: 1, truncated: false });
});

test("compares a changed webhook with its current version on past events, without sending or storing anything", async () => {
  const made = await owner("POST /api/v1/webhooks", {
    name: "Even notes",
    url: "https://hooks.example.com/even",
    events: ["note.created"],
    filter: { "data.body": "even" },
    status: "paused",
  });
  const path = `/api/v1/webhooks/${made.body.data.id}`;
  const simulate = (webhook: object, more: object = {}) =>
    owner(`POST ${path}/simulate`, { webhook, ...more });
  const answer = await simulate({ filter: { "data.title": { in: ["Note 0", "Note 5"] } } });
  expect(answer).toMatchObject({ status: 200, events: [] });
  const { changed, ...counts } = answer.body.data;
  // Its own two events are scanned, but a webhook never receives them.
  expect(counts).toEqual({
    scanned: 9,
    truncated: false,
    before: 3,
    after: 2,
    sameCount: 6,
    changedCount: 3,
  });
  expect(changed.map(({ event, before, after }: any) => [event.data.title, before, after])).toEqual(
    [
      ["Note 5", false, true],
      ["Note 4", true, false],
      ["Note 2", true, false],
    ],
  );
  const all = await simulate({ events: ["*"], filter: null }, { limit: 4 });
  expect(all.body.data).toMatchObject({ scanned: 4, truncated: true, before: 0, after: 2 });
  expect((await owner(`GET ${path}`)).body.data).toEqual(made.body.data);
  expect((await owner(`GET ${path}/deliveries`)).body.data).toEqual([]);
  const wrong = await simulate({ filter: { a: { over: 1 } } });
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/webhook/filter/a/over" }] },
  });
  const stranger = await elsewhere(`POST ${path}/simulate`, { webhook: { filter: null } });
  expect(stranger.status).toBe(404);
});

test("scans at most 10000 events", async () => {
  await world.sql(`
    insert into events (epoch, xid, workspace_id, environment, topic, type, actor_id, actor_type,
                        actor_name, resource_type, resource_id, correlation_id, depth, created_at, data)
    select e.epoch, e.xid, e.workspace_id, 'development', e.topic, e.type, e.actor_id, e.actor_type,
           e.actor_name, e.resource_type, e.resource_id, e.correlation_id, e.depth, e.created_at, e.data
      from (select * from events where type = 'note.created' limit 1) e, generate_series(1, 10001)`);
  const [{ slug, key }] = await world.sql(
    "select slug, key from workspaces where key = (select workspace_id from events where environment = 'development' limit 1)",
  );
  const ask = await world.member(["owner"], { slug, key });
  const span = { events: ["none.such"] };
  const development = { "x-environment": "development" };
  const answer = await ask("POST /api/v1/webhooks/preview", span, development);
  expect(answer.body.data).toEqual({ events: [], missing: [], scanned: 10_000, truncated: true });
});

test.each([
  [{ events: ["not a type"] }, "/events/0"],
  [{ events: ["*"], filter: { a: { over: 1 } } }, "/filter/a/over"],
  [{ events: ["*"], limit: 201 }, "/limit"],
  [{ events: ["*"], limit: 0 }, "/limit"],
  [{ events: ["*"], from: "yesterday" }, "/from"],
])("%j is refused at %s", async (span, path) => {
  expect(await preview(span)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
});
