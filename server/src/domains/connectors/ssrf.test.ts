import { describe, expect, test } from "vitest";
import { useNames } from "#kernel/testing/names.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startUpstream } from "./testing/upstream.ts";

/** Names that an attacker has pointed at inner addresses. */
const NAMES = {
  localhost: ["127.0.0.2", "::1"],
  "inner.attacker.test": ["10.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "mixed.attacker.test": ["93.184.215.14", "192.168.0.1"],
  "mapped.attacker.test": ["::ffff:169.254.169.254"],
  "six.attacker.test": ["fd00::1"],
};
useNames(NAMES);

const upstream = await useFixture(startUpstream());
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);

const ALL = "/api/v1/connectors";
const basic = { kind: "basic", username: "u", password: "planted-pass" };
const oauth = (tokenUrl: string) => ({
  kind: "oauth2_client_credentials",
  tokenUrl,
  clientId: "c",
  clientSecret: "planted-secret",
});

/** A connector of each type for a host, the action to invoke, and the path of the error. */
const KINDS: readonly (readonly [string, (host: string) => any])[] = [
  [
    "/config/baseUrl",
    (host) => ({ type: "http", config: { baseUrl: `http://${host}/` }, action: "request" }),
  ],
  [
    "/config/url",
    (host) => ({
      type: "graphql",
      config: { url: `https://${host}/` },
      action: "query",
      input: { query: "{ a }" },
    }),
  ],
  [
    "/config/webhookUrl",
    (host) => ({
      type: "slack",
      config: { webhookUrl: `https://${host}/services` },
      action: "webhook",
      input: { text: "x" },
    }),
  ],
  [
    "/config/host",
    (host) => ({
      type: "postgres",
      config: { host: host.replace(/[[\]]/g, ""), database: "d" },
      auth: basic,
      action: "query",
      input: { sql: "select 1" },
    }),
  ],
  [
    "/config/host",
    (host) => ({
      type: "smtp",
      config: { host: host.replace(/[[\]]/g, ""), from: "a@b.example" },
      auth: basic,
      action: "send",
      input: { to: "c@d.example", subject: "s" },
    }),
  ],
  [
    "/auth/tokenUrl",
    (host) => ({
      type: "http",
      config: { baseUrl: "https://api.example.com/" },
      auth: oauth(`https://${host}/token`),
      action: "request",
    }),
  ],
  [
    "/config/baseUrl",
    (host) => ({
      type: "openapi",
      config: {
        baseUrl: `https://${host}/`,
        document: JSON.stringify({
          openapi: "3.0.0",
          paths: { "/": { get: { operationId: "a" } } },
        }),
      },
      action: "a",
    }),
  ],
];

const ADDRESSES = [
  "127.0.0.2",
  "10.0.0.1",
  "169.254.169.254",
  "0.0.0.0",
  "[::1]",
  "[::ffff:169.254.169.254]",
  "[fd00:ec2::254]",
];

describe.each(KINDS)("%s", (path, kind) => {
  test("rejects an internal address when it is saved", async () => {
    for (const address of ADDRESSES) {
      const { action: _, input: __, ...draft } = kind(address);
      const { status, body, events } = await owner(`POST ${ALL}`, { name: "Hostile", ...draft });
      expect({ status, events }, address).toEqual({ status: 422, events: [] });
      expect(body.errors[0]).toEqual({
        path,
        message: expect.stringContaining("is not public"),
      });
    }
  });

  test("rejects a name that resolves to an internal address when it is used", async () => {
    for (const name of Object.keys(NAMES)) {
      const { action, input = {}, ...draft } = kind(name);
      // Reading a document starts a process, and its requests use the same HTTP client.
      if (draft.type === "openapi" && name !== "mixed.attacker.test") continue;
      const made = await owner(`POST ${ALL}`, { name: "Hostile", ...draft });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      const { id } = made.body.data;
      const answer = await owner(`POST ${ALL}/${id}/invoke`, { action, input });
      expect(answer).toMatchObject({
        status: 502,
        body: { code: "upstream_failed", detail: expect.stringContaining("is not public") },
        events: ["connector.invoked"],
      });
      // The message names no address, because that would reveal the internal network.
      expect(answer.body.detail).not.toMatch(/\d+\.\d+\.\d+\.\d+|::/);
      expect((await owner(`POST ${ALL}/${id}/test`)).body.data).toMatchObject({ ok: false });
    }
  });
});

test("a document cannot be read from an internal address, by name or by redirect", async () => {
  const faultOf = async (url: string): Promise<string> => {
    const draft = { name: "Hostile", type: "openapi", config: { url } };
    const { status, body } = await owner(`POST ${ALL}`, draft);
    expect(status).toBe(422);
    return body.errors[0].message;
  };
  expect(await faultOf("http://169.254.169.254/")).toContain("is not public");
  for (const name of Object.keys(NAMES)) {
    expect(await faultOf(`http://${name}/`)).toContain("is not public");
    upstream.answer = (_received, response) =>
      response.writeHead(307, { location: `http://${name}/` }).end();
    expect(await faultOf(`${upstream.url}/moved`)).toContain("is not public");
  }
});

test("a redirect is returned and not followed, so that credentials stay with their host", async () => {
  const { body } = await owner(`POST ${ALL}`, {
    name: "Moved",
    type: "http",
    config: { baseUrl: upstream.url },
    auth: { kind: "bearer", token: "planted-token" },
  });
  for (const location of [
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "/elsewhere",
  ]) {
    upstream.received.length = 0;
    upstream.answer = (_received, response) => response.writeHead(302, { location }).end();
    const answer = await owner(`POST ${ALL}/${body.data.id}/invoke`, { action: "request" });
    expect(answer.body.data).toMatchObject({ status: 302, headers: { location } });
    expect(upstream.received).toHaveLength(1);
  }
});

test("headers cannot be injected", async () => {
  const { body } = await owner(`POST ${ALL}`, {
    name: "Headers",
    type: "http",
    config: { baseUrl: upstream.url },
  });
  for (const headers of [
    { "x-a": "b\r\nx-injected: 1" },
    { "x-a\r\nx-b": "1" },
    { host: "inner" },
    { "transfer-encoding": "chunked" },
  ]) {
    const input = { headers };
    const answer = await owner(`POST ${ALL}/${body.data.id}/invoke`, { action: "request", input });
    expect(answer).toMatchObject({ status: 422, events: [] });
    expect(answer.body.errors[0].path).toMatch(/^\/input\/headers\//);
  }
});
