/** Tests model services with realistic responses: the requests sent, and the parsed results. */
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { createConnector } from "../../testing/connector.ts";
import { json, useUpstream } from "../../testing/upstream.ts";

const KEY = "key-8f1d0c2b6a";
const upstream = await useUpstream();
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);
const auth = { kind: "bearer", token: KEY };
const parameters = { type: "object", properties: { city: { type: "string" } } };
const conversation = {
  model: "some-model",
  system: "Be brief.",
  messages: [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "",
      calls: [{ id: "c1", name: "look", arguments: { city: "Bonn" } }],
    },
    { role: "tool", callId: "c1", name: "look", content: "no", isError: true },
  ],
  tools: [{ name: "look", description: "Looks", parameters }],
};
const lastAsked = () => {
  const { path, headers, text } = upstream.received.at(-1)!;
  return { path, headers, body: JSON.parse(text) };
};

test("anthropic: tools, their results, and an answer with a schema as a separate tool", async () => {
  const config = { baseUrl: upstream.url };
  const { invoke } = await createConnector(owner, "anthropic", config, auth);
  upstream.answer = (_, response) =>
    json(response, {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [
        { type: "text", text: "Again." },
        { type: "tool_use", id: "toolu_1", name: "look", input: { city: "Köln" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 40, cache_read_input_tokens: 10, output_tokens: 7 },
    });
  const { body } = await invoke("chat", conversation);
  expect(body.data).toEqual({
    text: "Again.",
    calls: [{ id: "toolu_1", name: "look", arguments: { city: "Köln" } }],
    finish: "tools",
    usage: { inputTokens: 50, outputTokens: 7, cachedTokens: 10 },
    cost: null,
    model: "claude-sonnet-4-5",
  });
  const asked = lastAsked();
  expect(asked.headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
  expect(asked.headers["authorization"]).toBeUndefined();
  expect(asked.body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Weather?" }] },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "look", input: { city: "Bonn" } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: "no", is_error: true }],
    },
  ]);
  upstream.answer = (_, response) =>
    json(response, {
      content: [{ type: "tool_use", id: "t", name: "final_answer", input: { city: "Bonn" } }],
      stop_reason: "tool_use",
      usage: {},
    });
  const fitting = await invoke("chat", { ...conversation, schema: parameters });
  expect(fitting.body.data).toMatchObject({ text: '{"city":"Bonn"}', calls: [], finish: "stop" });
  expect(lastAsked().body.tool_choice).toEqual({ type: "any" });
});

test("gemini: calls without ids, signatures that are sent back, vectors; the key is not in a URL", async () => {
  const { invoke } = await createConnector(owner, "gemini", { baseUrl: upstream.url }, auth);
  upstream.answer = (_, response) =>
    json(response, {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { functionCall: { name: "look", args: { city: "Köln" } }, thoughtSignature: "sig" },
            ],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 5, thoughtsTokenCount: 4 },
      modelVersion: "gemini-2.5-flash",
    });
  const { body } = await invoke("chat", conversation);
  expect(body.data).toMatchObject({
    calls: [{ id: "call_0", name: "look", arguments: { city: "Köln" }, signature: "sig" }],
    finish: "tools",
    usage: { inputTokens: 30, outputTokens: 9, cachedTokens: 0 },
  });
  const asked = lastAsked();
  expect(asked.path).toBe("/models/some-model:generateContent");
  expect(asked.headers["x-goog-api-key"]).toBe(KEY);
  expect(asked.body.contents[2].parts).toEqual([
    { functionResponse: { name: "look", response: { error: "no" } } },
  ]);
  upstream.answer = (_, response) => json(response, { embeddings: [{ values: [0.5, 0.25] }] });
  const vectors = await invoke("embed", { model: "text-embedding-004", texts: ["a"] });
  expect(vectors.body.data).toEqual({ vectors: [[0.5, 0.25]] });
});

test("hostile services: no choice, invalid JSON, too large, an error that contains the key", async () => {
  const config = { baseUrl: upstream.url, retries: 0 };
  const { invoke } = await createConnector(owner, "openai", config, auth);
  const messages = [{ role: "user", content: "x" }];
  const ask = () => invoke("chat", { model: "m", messages });
  const reasons: [(response: any) => void, RegExp][] = [
    [(response) => json(response, { choices: [] }), /did not return a response/],
    [(response) => response.end("<html>"), /is not JSON/],
    [(response) => response.end("x".repeat(5_000_000)), /larger than 4 MiB/],
    [(response) => json(response, { error: { message: `Bad ${KEY}` } }, 400), /returned 400: Bad/],
  ];
  for (const [answer, reason] of reasons) {
    upstream.answer = (_, response) => answer(response);
    const { status, body } = await ask();
    expect([status, body.detail]).toEqual([502, expect.stringMatching(reason)]);
    expect(JSON.stringify(body)).not.toContain(KEY);
  }
});

test("mcp: supports sessions, paged tools and call content", async () => {
  const { invoke } = await createConnector(owner, "mcp", { url: `${upstream.url}/mcp` }, auth);
  upstream.answer = ({ text, headers }, response) => {
    const { id, method, params } = JSON.parse(text);
    const results: Record<string, object> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: {} },
      "tools/list":
        params?.cursor === "2"
          ? { tools: [{ name: "two", inputSchema: { type: "object" } }] }
          : { tools: [{ name: "one", inputSchema: { type: "object" } }], nextCursor: "2" },
      "tools/call": { content: [{ type: "text", text: `called ${params?.name}` }] },
    };
    if (method !== "initialize") expect(headers["mcp-session-id"]).toBe("s1");
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "s1" });
    response.end(
      `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] })}\n\n`,
    );
  };
  const { body } = await invoke("list_tools", {});
  expect(body.data.tools.map(({ name }: any) => name)).toEqual(["one", "two"]);
  const called = await invoke("call_tool", { name: "two", arguments: { a: 1 } });
  expect(called.body.data).toEqual({ text: "called two" });
});
