import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { json, useUpstream } from "../testing/upstream.ts";
import { createConnector } from "../testing/connector.ts";

const upstream = await useUpstream();
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);

const made = (type: string, config: object, auth?: object) =>
  createConnector(owner, type, config, auth);

describe("graphql", () => {
  const QUERY = 'query Q($id: ID!) { user(id: $id) { name } } # mutation { } "mutation"';

  test("posts queries and mutations, and returns their data", async () => {
    const { invoke, test: tryOut } = await made(
      "graphql",
      { url: `${upstream.url}/graphql`, headers: { "X-Team": "ops" } },
      { kind: "bearer", token: "gql-token-1" },
    );
    upstream.answer = (_received, response) => json(response, { data: { user: { name: "Ada" } } });
    const input = { query: QUERY, variables: { id: 7 }, operationName: "Q" };
    expect((await invoke("query", input)).body).toEqual({
      data: { data: { user: { name: "Ada" } } },
    });
    expect((await invoke("mutate", { query: "mutation { x }" })).status).toBe(200);
    expect(upstream.received).toMatchObject([
      {
        method: "POST",
        path: "/graphql",
        headers: { authorization: "Bearer gql-token-1", "x-team": "ops" },
        text: JSON.stringify(input),
      },
      { text: '{"query":"mutation { x }"}' },
    ]);
    expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
  });

  test("reports errors: alone as a failure, with data next to it", async () => {
    const { invoke } = await made("graphql", { url: upstream.url });
    const errors = [{ message: "No user 7", path: ["user"] }];
    upstream.answer = (_received, response) => json(response, { data: null, errors });
    expect(await invoke("query", { query: QUERY })).toMatchObject({
      status: 502,
      body: {
        code: "upstream_failed",
        detail: "The other system returned errors: No user 7",
        upstreamStatus: 200,
        upstreamBody: { errors },
      },
      events: ["connector.invoked", "connector.status_changed"],
    });
    upstream.answer = (_received, response) => json(response, { data: { a: 1 }, errors });
    expect((await invoke("query", { query: QUERY })).body.data).toEqual({ data: { a: 1 }, errors });
    upstream.answer = (_received, response) => response.end("<html>");
    expect((await invoke("query", { query: QUERY })).body.detail).toBe(
      "The response is not a GraphQL response.",
    );
  });

  test("a query may be repeated, so it must not contain a mutation; a mutation is sent once", async () => {
    const { invoke } = await made("graphql", { url: upstream.url, retries: 1 });
    for (const query of ["mutation { x }", "{ a }\n mutation M { b }", "subscription { x }"]) {
      expect(await invoke("query", { query })).toMatchObject({
        status: 422,
        body: { errors: [{ path: "/input/query" }] },
        events: [],
      });
    }
    expect(upstream.received).toHaveLength(0);
    upstream.answer = (_received, response) => json(response, {}, 503);
    await invoke("query", { query: "{ a }" });
    expect(upstream.received).toHaveLength(2);
    await invoke("mutate", { query: "mutation { x }" });
    expect(upstream.received).toHaveLength(3);
  });
});

describe("slack", () => {
  test("a bot posts messages", async () => {
    const { invoke, test: tryOut } = await made(
      "slack",
      { apiUrl: `${upstream.url}/api` },
      { kind: "bearer", token: "xoxb-bot-token" },
    );
    upstream.answer = (_received, response) =>
      json(response, { ok: true, channel: "C1", ts: "17.1", message: {} });
    const posted = await invoke("post_message", {
      channel: "#ops",
      text: "Hello",
      threadTs: "16.9",
    });
    expect(posted.body.data).toEqual({ channel: "C1", ts: "17.1" });
    expect(await tryOut()).toMatchObject({ ok: true });
    expect(upstream.received).toMatchObject([
      {
        path: "/api/chat.postMessage",
        headers: { authorization: "Bearer xoxb-bot-token" },
        text: '{"channel":"#ops","text":"Hello","thread_ts":"16.9"}',
      },
      { path: "/api/auth.test" },
    ]);
    upstream.answer = (_received, response) =>
      json(response, { ok: false, error: "channel_not_found" });
    expect((await invoke("post_message", { channel: "#x", text: "Hi" })).body).toMatchObject({
      code: "upstream_failed",
      detail: "Slack rejected the request: channel_not_found",
      upstreamStatus: 200,
      upstreamCode: "channel_not_found",
    });
    expect(await tryOut()).toMatchObject({ ok: false, status: "down" });
  });

  test("posts to an incoming webhook, whose URL is a credential", async () => {
    const secret = "/services/T0123/B0456/planted-hook-part";
    const {
      invoke,
      test: tryOut,
      body,
    } = await made("slack", {
      webhookUrl: `${upstream.url}${secret}`,
    });
    expect(body.data.config.webhookUrl).toBe("***");
    upstream.answer = ({ path }, response) => response.end(`ok ${path}`);
    expect((await invoke("webhook", { text: "Hello" })).body.data).toEqual({ ok: true });
    expect(upstream.received[0]).toMatchObject({ path: secret, text: '{"text":"Hello"}' });
    upstream.answer = (_received, response) => response.writeHead(400).end("no_text");
    expect(await tryOut()).toMatchObject({ ok: true });
    upstream.answer = ({ path }, response) => response.writeHead(404).end(`no_service ${path}`);
    expect(await tryOut()).toMatchObject({ ok: false, upstreamStatus: 404 });
    const failed = await invoke("webhook", { text: "Hello" });
    expect(failed.body.upstreamBody).toBe("no_service [secret webhookUrl]");
    expect((await invoke("post_message", { channel: "#x" })).body.code).toBe("unknown_action");
  });

  test("a secret webhook URL that is invalid is a failure, not a crash", async () => {
    await owner("POST /api/v1/secrets", { name: "HOOK", value: "not an address" });
    const { invoke } = await made("slack", { webhookUrl: "{{secrets.HOOK}}" });
    expect((await invoke("webhook", { text: "x" })).body).toMatchObject({
      code: "upstream_failed",
      detail: "The URL of the connector can't be parsed.",
    });
  });
});
