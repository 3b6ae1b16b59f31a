import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startMongoServer } from "../../testing/mongodb-server.ts";

const server = await useFixture(startMongoServer());
const other = await useFixture(startMongoServer());
/** `npm run proof -- databases` provides a real server. */
const real = URL.parse(process.env["MILLRACE_TEST_MONGODB"] ?? "");
const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);
const ALL = "/api/v1/connectors";

async function made(config: object = {}, auth: object = {}) {
  const { body, status } = await owner(`POST ${ALL}`, {
    name: "Shop",
    type: "mongodb",
    config: {
      host: "127.0.0.1",
      port: Number(real?.port ?? server.port),
      database: "shop",
      sslMode: "disable",
      ...config,
    },
    auth: {
      kind: "basic",
      username: real?.username ?? server.user,
      password: real?.password ?? server.password,
      ...auth,
    },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `${ALL}/${body.data.id}`;
  const invoke = (action: string, input: object = {}) =>
    owner(`POST ${path}/invoke`, { action, input: { collection: "items", ...input } });
  return {
    invoke,
    run: async (action: string, input: object = {}) => (await invoke(action, input)).body.data,
    test: async () => (await owner(`POST ${path}/test`)).body.data,
  };
}

test("documents are added, found, changed, counted and deleted", async () => {
  const { run, invoke, test: tryOut } = await made({ allowWrites: true });
  const first = await invoke("delete", { filter: {}, many: true });
  expect(first.events).toEqual(["connector.invoked", "connector.status_changed"]);
  const oid = { $oid: "0123456789abcdef01234567" };
  const at = { $date: "2026-11-02T10:00:00Z" };
  const added = await run("insert", {
    documents: [
      { _id: oid, name: "Straße 🚲", at, price: 1.5 },
      { name: "pump", price: 2 },
    ],
  });
  expect(added).toEqual({ insertedCount: 2, insertedIds: [oid, { $oid: expect.any(String) }] });
  expect(await run("find", { filter: { _id: oid } })).toEqual({
    documents: [{ _id: oid, name: "Straße 🚲", at, price: 1.5 }],
    truncated: false,
  });
  expect(await run("find", { limit: 1 })).toMatchObject({ documents: [{}], truncated: true });
  expect(await run("count", { filter: { price: 2 } })).toEqual({ count: 1 });
  const change = { filter: { name: "pump" }, update: { $set: { price: 3 } } };
  expect(await run("update", change)).toEqual({ matched: 1, modified: 1, upsertedId: null });
  const upsert = { filter: { name: "bell" }, update: { $set: { price: 1 } }, upsert: true };
  expect(await run("update", upsert)).toMatchObject({ matched: 0, upsertedId: expect.anything() });
  const pipeline = [{ $match: { price: 3 } }];
  expect(await run("aggregate", { pipeline })).toMatchObject({ documents: [{ name: "pump" }] });
  expect(await run("delete", { filter: { name: "bell" } })).toEqual({ deleted: 1 });
  const taken = await invoke("insert", { documents: [{ _id: oid }] });
  expect([taken.status, taken.body.upstreamCode]).toEqual([502, "11000"]);
  expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
});

test("a read-only connector offers no writing actions, and rejects writing pipelines", async () => {
  const { invoke } = await made();
  for (const action of ["insert", "update", "delete"]) {
    expect((await invoke(action)).body.code).toBe("unknown_action");
  }
  for (const stage of [{ $out: "x" }, { $merge: { into: "x" } }]) {
    const { status, body } = await invoke("aggregate", { pipeline: [{ $match: {} }, stage] });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ path: "/input/pipeline/1" }]);
  }
  const code = { body: "function () { while (true); }", args: [], lang: "js" };
  for (const [action, input, at] of [
    ["find", { filter: { $or: [{ $where: "sleep(1e9)" }] } }, "/input/filter/$or/0/$where"],
    ["count", { filter: { $where: "true" } }, "/input/filter/$where"],
    ["find", { projection: { a: { $function: code } } }, "/input/projection/a/$function"],
    [
      "aggregate",
      { pipeline: [{ $set: { a: { $function: code } } }] },
      "/input/pipeline/0/$set/a/$function",
    ],
  ] as const) {
    const { status, body } = await invoke(action, input);
    expect([status, body.errors?.[0]?.path]).toEqual([422, at]);
  }
  const wrong = await invoke("find", { filter: { _id: { $oid: "short" } } });
  expect(wrong.status).toBe(422);
});

test("an error for a wrong password does not contain it, and only permitted addresses are reached", async () => {
  const stranger = await made({}, { password: "another-word" });
  const denied = await stranger.invoke("find");
  expect(denied.body.detail).toContain("rejected the user name or the password");
  expect(JSON.stringify(denied.body)).not.toContain("another-word");
  for (const [config, path] of [
    [{ host: "10.0.0.1" }, "/config/host"],
    [{ host: "shop.example.com", isCluster: true, sslMode: "disable" }, "/config/sslMode"],
  ] as const) {
    const refused = await owner(`POST ${ALL}`, {
      name: "Inside",
      type: "mongodb",
      config: { database: "shop", ...config },
      auth: { kind: "none" },
    });
    expect(refused.body.errors).toMatchObject([{ path }]);
  }
});

test.skipIf(real)("writes go to the primary server, unless its address is forbidden", async () => {
  server.primary = `127.0.0.1:${other.port}`;
  const before = other.received.length;
  // A server alone must not choose who receives the password.
  const alone = await (await made({ retries: 0 })).invoke("find");
  expect([alone.status, alone.body.detail]).toEqual([
    502,
    expect.stringContaining("not a member in the configuration of the connector"),
  ]);
  expect(other.received.length).toBe(before);
  const members = [`127.0.0.1:${other.port}`];
  const { run, invoke } = await made({ allowWrites: true, retries: 0, members });
  await run("insert", { documents: [{ name: "there" }] });
  expect(other.received.slice(before)).toContain("insert");
  server.primary = "10.0.0.1:27017";
  const elsewhere = await made({ retries: 0, members });
  expect((await elsewhere.invoke("find")).status).toBe(502);
  const refused = await owner(`POST ${ALL}`, {
    name: "Shop",
    type: "mongodb",
    config: { host: "127.0.0.1", database: "shop", members: ["127.0.0.1", "10.0.0.1:1"] },
    auth: { kind: "none" },
  });
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "/config/members/1"]);
  server.primary = undefined;
  other.answerNext = Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n");
  expect((await invoke("count")).status).toBe(502);
});
