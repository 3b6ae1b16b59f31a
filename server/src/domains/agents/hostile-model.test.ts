/** Tests malicious models and model services, and agents with few rights. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import { json } from "#domains/connectors/testing/upstream.ts";
import {
  createToken,
  deployWorkflow,
  runWorkflow,
  trigger,
  waitForRun,
  type RunView,
} from "#domains/runs/testing/workflows.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { memoryRetentionJob } from "./memory/store.ts";
import { openaiAnswer, useModelService } from "./testing/model-service.ts";

const KEY = "sk-test-4f0d8a1c9b7e";
const auth = { kind: "bearer", token: KEY };
const service = await useModelService();
const world = await useWorld({ env: service.upstream.env, work: true });
const owner = await world.member(["owner"]);
const { id: connectorId } = await createConnector(
  owner,
  "openai",
  { baseUrl: `${service.upstream.url}/v1` },
  auth,
);

async function run(
  nodes: readonly object[],
  input: unknown = {},
  more: object = {},
): Promise<RunView> {
  const id = await deployWorkflow(owner, nodes, more);
  const { body } = await trigger(owner, id, input);
  return waitForRun(owner, body.data.runId, ["completed", "failed", "cancelled", "paused"]);
}

const agent = (config: object) => ({
  id: "bot",
  type: "agent",
  config: { connectorId, model: "m", prompt: "{{ trigger.input.text }}", ...config },
});
const double = {
  name: "double",
  type: "set",
  config: { values: { twice: "{{ call.arguments.n }}" } },
};

test("endless numbering and single-byte chunks take only linear time", async () => {
  const { id } = await createConnector(
    owner,
    "anthropic",
    { baseUrl: service.upstream.url, retries: 0 },
    auth,
  );
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const block = (index: number, text: string) => [
    event({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index, delta: { type: "text_delta", text } }),
  ];
  service.say((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const stop = event({ type: "message_delta", delta: { stop_reason: "end_turn" } });
    const all = [...block(4_000_000_000, "far"), ...block(0, "near"), stop].join("");
    const long = `data: {"type":"ping","x":"${"x".repeat(3_000_000)}"}\r\n`;
    response.write(long);
    for (const character of all) response.write(character);
    response.end();
  });
  const config = { connectorId: id, model: "m", prompt: "x" };
  const done = await run([{ id: "ask", type: "llm", config }]);
  expect([done.error, done.output?.text]).toEqual([null, "near"]);
});

test("an approver sees how much of the arguments is omitted", async () => {
  const tool = { ...double, parameters: { type: "object" }, approval: true };
  service.say({ calls: [{ name: "double", arguments: { n: "y".repeat(9_000), to: "evil" } }] });
  const paused = await run([agent({ tools: [tool] })], { text: "x" });
  const { body } = await owner("GET /api/v1/approvals");
  const { message } = body.data.find(({ runId }: any) => runId === paused.id);
  expect(message).toMatch(/\(5\d{3} more characters were omitted\)$/);
});

test("agent memory requires permission to see agent memories", async () => {
  const { body } = await owner("POST /api/v1/agent-memories", {
    key: "board",
    messages: [{ role: "user", content: "We merge in May." }],
  });
  expect(body.data.key).toBe("board");
  const robot = await createToken(world, owner, [
    "workflows:read",
    "workflows:write",

    "workflows:trigger",
    "deployments:create",
    "connectors:invoke",
    "connectors:read",
  ]);
  const workflow = await deployWorkflow(robot, [agent({ memory: { key: "board" } })]);
  service.say({ text: "?" });
  const failed = await runWorkflow(robot, workflow, { text: "What do you know?" });
  expect([failed.error?.code, service.asked]).toEqual(["forbidden", []]);
});

test("inherited property names and deeply nested arguments are reported to the model, and not executed", async () => {
  const deep = `${'{"n":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  service.say(
    {
      calls: ["__proto__", "constructor", "double", "toString"].map((name) => ({
        name,
        arguments: name === "double" ? deep : {},
      })),
    },
    { text: "Sorry." },
  );
  const done = await run([agent({ tools: [{ ...double, parameters: { type: "object" } }] })], {
    text: "x",
  });
  expect([done.error, done.output?.text]).toEqual([null, "Sorry."]);
  const results = service.asked[1].messages.filter(({ role }: any) => role === "tool");
  expect(results.map(({ content }: any) => content)).toEqual([
    expect.stringContaining("The tool __proto__ does not exist"),
    expect.stringContaining("The tool constructor does not exist"),
    expect.stringContaining("levels of nesting"),
    expect.stringContaining("The tool toString does not exist"),
  ]);
});

test("server tools with invalid schemas are offered, and calls are validated as far as possible", async () => {
  const schemas = [
    { type: "object", required: 5, properties: { a: { enum: 7, minimum: "x", type: [] } } },
    { type: "object", properties: { a: { anyOf: "x", items: 3, const: undefined } } },
    { allOf: [null, 3], additionalProperties: "no", oneOf: [{ not: 1 }], minProperties: {} },
  ];
  const { id: server } = await createConnector(
    owner,
    "mcp",
    { url: `${service.upstream.url}/mcp`, retries: 0 },
    auth,
  );
  service.say({ calls: ["t0", "t1", "t2"].map((name) => ({ name, arguments: { a: 1 } })) });
  const { answer } = service.upstream;
  service.upstream.answer = (received, response) => {
    if (received.path !== "/mcp") return answer(received, response);
    const { id, method } = JSON.parse(received.text);
    const tools = schemas.map((inputSchema, index) => ({ name: `t${index}`, inputSchema }));
    const result =
      method === "tools/list" ? { tools } : { content: [{ type: "text", text: "ok" }] };
    return json(response, { jsonrpc: "2.0", id, result });
  };
  const done = await run([agent({ mcp: [{ connectorId: server }] })], { text: "x" });
  expect([done.error, done.output?.text]).toEqual([null, "Done."]);
});

const callDouble = (n: unknown) => ({ calls: [{ name: "double", arguments: { n } }] });

test.each([{}, { maxConcurrency: 1 }])(
  "the timeout also applies after a retry, and when resumed from the queue: %j",
  async (limits) => {
    const maxMs = 60_000;
    const refuse = (response: ServerResponse) => void response.writeHead(400).end("{}");
    service.say(callDouble(1), refuse);
    const failed = await run([agent({ tools: [double], maxMs })], { text: "x" }, limits);
    expect(failed.status).toBe("failed");
    world.clock.advance(10 * maxMs);
    const slow = (response: ServerResponse) => {
      world.clock.advance(2 * maxMs);
      json(response, openaiAnswer(callDouble(2)));
    };
    service.say(slow, { text: "Too late." });
    const retry = () => owner(`POST /api/v1/runs/${failed.id}/retry`, { from: "failed" });
    expect((await retry()).events).toEqual(["workflow.run_retried"]);
    const late = await waitForRun(owner, failed.id, ["completed", "failed"]);
    expect([late.error.code, service.asked.length]).toEqual(["agent_time_exceeded", 1]);
    service.say({ text: "In time." });
    await retry();
    const done = await waitForRun(owner, failed.id, ["completed", "failed"]);
    expect([done.error, done.output.text]).toEqual([null, "In time."]);
  },
);

test("memories are limited in length, number per workflow, and age", async () => {
  const MEMORIES = "/api/v1/agent-memories";
  const long = (n: number) => ({ role: "user", content: String(n).padEnd(20_000, "x") });
  const messages = Array.from({ length: 15 }, (_, n) => long(n));
  const kept = async (given: readonly object[]) => {
    const { body } = await owner(`POST ${MEMORIES}`, { key: "long", messages: given });
    const all = body.data.messages.map(({ content }: any) => Number.parseInt(content, 10));
    return [body.data.messageCount, all[0], all.at(-1)];
  };
  expect(await kept(messages)).toEqual([10, 5, 14]);
  expect(await kept([long(15), long(16)])).toEqual([10, 7, 16]);

  const remembering = agent({ memory: { key: "visitor {{ trigger.input.text }}" } });
  const id = await deployWorkflow(owner, [remembering]);
  const talk = async (text: string) => {
    service.say({ text: "Hello." });
    const { body } = await trigger(owner, id, { text });
    await waitForRun(owner, body.data.runId);
  };
  for (const text of ["zero", "one", "one"]) await talk(text);
  await world.sql(
    `insert into agent_memories (id, workspace_id, environment, key, messages, message_count, workflow_id, created_at, updated_at)
     select 'mem_' || n, workspace_id, environment, 'other ' || n, '[]', 0, workflow_id, created_at,
            updated_at + interval '1 second'
       from agent_memories, generate_series(1, 9998) n where key = 'visitor one'`,
  );
  world.clock.advance(10_000);
  await talk("two");
  const retire = () => memoryRetentionJob.effect?.(world.kernel, {} as never, {} as never);
  await retire();
  const ofWorkflow = () =>
    world.sql(
      "select key from agent_memories where workflow_id = $1 and key like 'visitor%' order by key",
      [id],
    );
  // Among memories with a single message, the oldest is deleted; memories of returning visitors are kept.
  expect(await ofWorkflow()).toEqual([{ key: "visitor one" }, { key: "visitor two" }]);
  await world.sql("delete from agent_memories where key like 'other%'");
  await world.sql("update agent_memories set updated_at = updated_at - interval '366 days'");
  await talk("three");
  await retire();
  expect(await ofWorkflow()).toEqual([{ key: "visitor three" }]);
});

test("processes a long text in chunks, combines the answers, and does not repeat calls on retry", async () => {
  const paragraphs = Array.from({ length: 9 }, (_, n) => `${n}`.repeat(180)).join("\n\n");
  const chunks = { characters: 600, combine: "Combine." };
  const ask = {
    id: "sum",
    type: "llm",
    retry: { maxAttempts: 2, backoffMs: 1 },
    config: { connectorId, model: "m", system: "Sum up.", prompt: "{{ trigger.input }}", chunks },
  };
  const cut = (response: ServerResponse) => void response.destroy();
  const said = ["a", "b", "c"].map((text) => ({ text }));
  service.say(...said.slice(0, 2), cut, ...said.slice(2), { text: "All." });
  const done = await run([ask], paragraphs);
  expect([done.error, done.output?.text, done.output?.usage.inputTokens]).toEqual([
    null,
    "All.",
    400,
  ]);
  const asked = service.asked.map(({ messages }) => messages.map((one: any) => one.content));
  expect(asked.map(([system]) => system)).toEqual([...Array(4).fill("Sum up."), "Combine."]);
  expect(asked[4]).toEqual(["Combine.", "a\n\nb\n\nc"]);
  const chunked = [0, 1, 3].map((n) => asked[n]?.[1]).join("");
  expect([chunked, asked[2]]).toEqual([paragraphs, asked[3]]);
  // Answers as long as their input never converge.
  service.upstream.answer = (_received, response) =>
    json(response, openaiAnswer({ text: "x".repeat(700) }));
  const endless = await run([{ ...ask, config: { ...ask.config, stream: false } }], paragraphs);
  expect(endless.error.code).toBe("too_many_chunks");
});
