import fc from "fast-check";
import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startRedisServer } from "../../testing/redis-server.ts";
import { encodeCommand, RespDecoder, RespError } from "./resp.ts";

const server = await useFixture(startRedisServer());
/** `npm run proof -- databases` provides a real server. */
const real = URL.parse(process.env["MILLRACE_TEST_REDIS"] ?? "");
const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);
const ALL = "/api/v1/connectors";

async function made(config: object = {}, password = real?.password ?? server.password) {
  const { body, status } = await owner(`POST ${ALL}`, {
    name: "Cache",
    type: "redis",
    config: {
      host: "127.0.0.1",
      port: Number(real?.port ?? server.port),
      sslMode: "disable",
      ...config,
    },
    auth: { kind: "basic", username: "", password },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `${ALL}/${body.data.id}`;
  const invoke = (action: string, input: object) => owner(`POST ${path}/invoke`, { action, input });
  return {
    path,
    invoke,
    run: async (action: string, input: object) => (await invoke(action, input)).body.data,
    test: async () => (await owner(`POST ${path}/test`)).body.data,
  };
}

test("reads and changes keys, numbers, lists and hashes", async () => {
  const { run, invoke, test: tryOut } = await made({ allowWrites: true });
  const first = await invoke("delete", { keys: ["order:1", "count", "queue", "person"] });
  expect(first.events).toEqual(["connector.invoked", "connector.status_changed"]);
  expect(await run("set", { key: "order:1", value: "Straße 🚲", expireMs: 60_000 })).toEqual({
    isSet: true,
  });
  expect(await run("set", { key: "order:1", value: "x", onlyIf: "absent" })).toEqual({
    isSet: false,
  });
  expect(await run("get", { key: "order:1" })).toEqual({ value: "Straße 🚲" });
  expect(await run("get", { key: "nowhere" })).toEqual({ value: null });
  expect(await run("exists", { key: "order:1" })).toEqual({ exists: true });
  expect(await run("expire", { key: "order:1", expireMs: 90_000 })).toEqual({ isSet: true });
  expect(await run("increment", { key: "count", by: 41 })).toEqual({ value: 41 });
  expect(await run("increment", { key: "count" })).toEqual({ value: 42 });
  expect(await run("list_push", { key: "queue", values: ["b", 2, "d"] })).toEqual({ length: 3 });
  expect(await run("list_push", { key: "queue", values: ["a"], at: "start" })).toEqual({
    length: 4,
  });
  expect(await run("list_range", { key: "queue" })).toEqual({ values: ["a", "b", "2", "d"] });
  expect(await run("list_range", { key: "queue", start: 1, stop: -2 })).toEqual({
    values: ["b", "2"],
  });
  expect(await run("list_pop", { key: "queue", at: "start" })).toEqual({ value: "a" });
  expect(await run("list_length", { key: "queue" })).toEqual({ length: 3 });
  expect(await run("hash_set", { key: "person", fields: { name: "Ada", age: 36 } })).toEqual({
    added: 2,
  });
  expect(await run("hash_delete", { key: "person", fields: ["age", "none"] })).toEqual({
    deleted: 1,
  });
  expect(await run("hash_get", { key: "person" })).toEqual({ fields: { name: "Ada" } });
  expect(await run("keys", { match: "order:*" })).toEqual({ keys: ["order:1"], truncated: false });
  expect(await run("publish", { channel: "news", message: "hi" })).toEqual({ receivers: 0 });
  expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
});

test("a read-only connector offers no writing actions, and rejects writing commands", async () => {
  const { invoke } = await made();
  for (const action of ["set", "delete", "increment", "list_pop", "command"]) {
    expect((await invoke(action, { key: "x" })).body.code).toBe("unknown_action");
  }
  const any = await made({ allowCommands: true });
  expect(await any.run("command", { args: ["GET", "count"] })).toEqual({ reply: "42" });
});

test("errors do not contain the password, and forbidden addresses are not reached", async () => {
  const { invoke, run } = await made({ allowWrites: true });
  await run("list_push", { key: "wrong", values: ["x"] });
  const refused = await invoke("get", { key: "wrong" });
  expect(refused.status).toBe(502);
  expect(refused.body).toMatchObject({ upstreamCode: "WRONGTYPE" });
  const stranger = await made({}, "another word");
  const denied = await stranger.invoke("get", { key: "x" });
  expect(denied.body.code).toBe("upstream_failed");
  expect(JSON.stringify(denied.body)).not.toContain("another word");
  const guarded = await owner(`POST ${ALL}`, {
    name: "Inside",
    type: "redis",
    config: { host: "10.0.0.1" },
    auth: { kind: "none" },
  });
  expect(guarded.body.errors).toMatchObject([{ path: "/config/host" }]);
  const named = await made({ host: "localhost", port: 1, retries: 0 });
  expect((await named.invoke("get", { key: "x" })).status).toBe(502);
});

test.skipIf(real)(
  "a connection runs calls sequentially and stops after an invalid response",
  async () => {
    const { run, invoke, path } = await made({ retries: 0, maxConnections: 1, timeoutMs: 500 });
    await run("get", { key: "x" });
    const before = server.connections;
    await Promise.all([
      run("get", { key: "x" }),
      run("get", { key: "y" }),
      run("get", { key: "z" }),
    ]);
    expect(server.connections).toBe(before);
    server.answerNext = Buffer.from("$2000000\r\nnot all of it");
    expect((await invoke("get", { key: "x" })).body.code).toBe("upstream_timed_out");
    expect(await run("get", { key: "none" })).toEqual({ value: null });
    expect(server.connections).toBe(before + 1);
    server.answerNext = Buffer.from("HTTP/1.1 200 OK\r\n\r\n");
    expect((await invoke("get", { key: "x" })).status).toBe(502);
    server.answerNext = Buffer.from("$-1\r\n$5\r\nother\r\n");
    await invoke("get", { key: "x" });
    expect(await run("get", { key: "none" })).toEqual({ value: null });
    server.answerNext = Buffer.concat([Buffer.from("$1200000\r\n"), Buffer.alloc(1_200_002)]);
    expect((await invoke("get", { key: "x" })).body.detail).toContain("larger than 1 MiB");
    const after = server.connections;
    await owner(`PATCH ${path}`, { name: "Renamed" });
    await run("get", { key: "x" });
    expect(server.connections).toBe(after + 1);
  },
);

test("a reply is decoded equally for all chunk sizes", () => {
  const reply = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: "grapheme" }).map((text) => ({ value: text, bytes: toBulk(text) })),
      fc.integer().map((value) => ({ value, bytes: `:${value}\r\n` })),
      fc.constant({ value: null, bytes: "$-1\r\n" }),
      fc.array(tie("value") as fc.Arbitrary<Sample>, { maxLength: 5 }).map((items) => ({
        value: items.map(({ value }) => value),
        bytes: `*${items.length}\r\n${items.map(({ bytes }) => bytes).join("")}`,
      })),
    ) as fc.Arbitrary<Sample>,
  })).value;
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 4 }), fc.array(fc.nat(40)), (samples, cuts) => {
      const bytes = Buffer.from(samples.map((one) => one.bytes).join(""));
      const decoder = new RespDecoder(1_048_576);
      const seen: unknown[] = [];
      let at = 0;
      for (const cut of cuts) {
        seen.push(...decoder.push(bytes.subarray(at, at + cut)));
        at += cut;
      }
      seen.push(...decoder.push(bytes.subarray(at)));
      expect(seen).toEqual(samples.map(({ value }) => value));
    }),
  );
  const [error] = new RespDecoder(100).push(Buffer.from("-ERR no\r\n"));
  expect(error).toEqual(new RespError("ERR no"));
  const words = ["SET", "a b", "ü"];
  expect(new RespDecoder(1_000).push(encodeCommand(words))).toEqual([words]);
});

interface Sample {
  readonly value: unknown;
  readonly bytes: string;
}

const toBulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
