/** Imported workflows with data stores and typed keys, run against servers that behave like the real ones. */
import { expect, test } from "vitest";
import { startMongoServer } from "#domains/connectors/testing/mongodb-server.ts";
import { startRedisServer } from "#domains/connectors/testing/redis-server.ts";
import { useUpstream } from "#domains/connectors/testing/upstream.ts";
import { deployWorkflow, runWorkflow, stepsOf } from "#domains/runs/testing/workflows.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";

const redis = await useFixture(startRedisServer());
const mongo = await useFixture(startMongoServer());
const receiver = await useUpstream();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const node = (name: string, type: string, parameters: object = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
});
const to = (...names: readonly string[]) =>
  names.map((name) => ({ node: name, type: "main", index: 0 }));
/** Connects the nodes in sequence. */
const chain = (nodes: readonly { readonly name: string }[]) =>
  Object.fromEntries(
    nodes.slice(1).map(({ name }, at) => [nodes[at]?.name ?? "", { main: [to(name)] }]),
  );

async function connect(type: string, config: object, auth: object): Promise<string> {
  const { body, status } = await owner("POST /api/v1/connectors", {
    name: type,
    type,
    config: { host: "127.0.0.1", sslMode: "disable", allowWrites: true, ...config },
    auth: { kind: "basic", ...auth },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

async function run(
  nodes: readonly { readonly name: string }[],
  bindings: object,
  connections: object = chain(nodes),
) {
  const { body } = await owner("POST /api/v1/workflows/import", {
    format: "n8n",
    workflow: { name: "Imported", nodes, connections },
    bindings,
  });
  expect(body.data.counts.placeholder).toBe(0);
  const [{ definition }] = body.data.workflows;
  const { nodes: steps, ...more } = definition;
  return runWorkflow(owner, await deployWorkflow(owner, steps, more));
}

test("Redis keys and MongoDB documents are written and read as in n8n", async () => {
  const bindings = {
    "connector:redis": await connect(
      "redis",
      { port: redis.port },
      { username: "", password: redis.password },
    ),
    "connector:mongodb": await connect(
      "mongodb",
      { port: mongo.port, database: "shop" },
      { username: mongo.user, password: mongo.password },
    ),
  };
  const done = await run(
    [
      node("Start", "manualTrigger"),
      node("Item", "code", { jsCode: 'return [{ json: { name: "Ada", born: 1815 } }];' }, 2),
      node("Keep", "redis", { operation: "set", key: "who", value: "={{ $json.name }}" }),
      node("Count", "redis", { operation: "incr", key: "visits" }),
      node("Read", "redis", { operation: "get", key: "who", propertyName: "found.name" }),
      node("Add", "mongoDb", { operation: "insert", collection: "people", fields: "found" }, 1.1),
      node("Find", "mongoDb", { operation: "find", collection: "people", query: "{}" }, 1.1),
    ],
    bindings,
  );
  expect(done.error).toBeNull();
  const steps = stepsOf(done);
  expect(steps["keep"].output).toEqual([{ name: "Ada", born: 1815 }]);
  expect(steps["count"].output).toEqual([{ visits: 1 }]);
  expect(steps["read"].output).toEqual([{ found: { name: "Ada" } }]);
  const id = expect.stringMatching(/^[0-9a-f]{24}$/);
  expect(steps["add"].output).toEqual([{ found: { name: "Ada" }, id }]);
  expect(steps["find"].output).toEqual([{ _id: id, found: { name: "Ada" } }]);
});

test("a typed key is sent as the selected secret, and is not readable anywhere", async () => {
  await owner("POST /api/v1/secrets", { name: "SHOP_KEY", value: "sesame-open-4711" });
  const done = await run(
    [
      node("Start", "manualTrigger"),
      node(
        "Ask",
        "httpRequest",
        {
          url: `${receiver.url}/a?key=typed-before&q=1`,
          sendHeaders: true,
          headerParameters: {
            parameters: [
              { name: "Authorization", value: "Bearer typed-before" },
              { name: "X-Of", value: "={{ 1 + 1 }}" },
            ],
          },
        },
        4.2,
      ),
    ],
    { "secret:127.0.0.1 authorization": "SHOP_KEY", "secret:127.0.0.1 key": "SHOP_KEY" },
  );
  expect(done.error).toBeNull();
  const [received] = receiver.received;
  expect(received?.headers).toMatchObject({
    authorization: "Bearer sesame-open-4711",
    "x-of": "2",
  });
  expect(received?.path).toContain("key=sesame-open-4711");
  expect(JSON.stringify(done)).not.toMatch(/sesame|typed-before/);
});

test("nodes shared by a loop and its end run in each iteration and after the last; an unreadable expression fails there", async () => {
  const nodes = [
    node("Start", "manualTrigger"),
    node("Three", "code", { jsCode: "return [1, 2, 3].map((n) => ({ json: { n } }));" }, 2),
    node("Loop", "splitInBatches", { batchSize: 1 }, 3),
    node(
      "Twice",
      "code",
      { jsCode: "return items.map(({ json }) => ({ json: { n: json.n * 2 } }));" },
      2,
    ),
    node("Tell", "httpRequest", { url: `=${receiver.url}/tell/{{ $json.n }}` }, 4.2),
  ];
  receiver.received.length = 0;
  const done = await run(
    nodes,
    {},
    {
      Start: { main: [to("Three")] },
      Three: { main: [to("Loop")] },
      Loop: { main: [to("Tell"), to("Twice")] },
      Twice: { main: [to("Loop", "Tell")] },
    },
  );
  expect(done.error).toBeNull();
  expect(receiver.received.map(({ path }) => path)).toEqual(
    [2, 4, 6, 2, 4, 6].map((n) => `/tell/${n}`),
  );
  const failed = await run(
    [node("Start", "manualTrigger"), node("Ask", "httpRequest", { url: "={{ replace me }}" }, 4.2)],
    {},
  );
  expect(failed.error).toMatchObject({
    message: expect.stringContaining("can't be read: replace me"),
  });
});
