import { stringify } from "yaml";
import { beforeAll, expect, test } from "vitest";
import { type Answer, useWorld } from "#kernel/testing/world.ts";
import { json, OK, useUpstream, type Upstream } from "../testing/upstream.ts";

/** A connector that most tests share, because reading a document starts a process. */
let answer: Answer;
let id: string;
const upstream = await useUpstream();
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);
beforeAll(async () => {
  answer = await make({
    document: stringify(pets()),
    headers: { "X-Team": "ops" },
    retries: 0,
  });
  ({ id } = answer.body.data);
});

const ALL = "/api/v1/connectors";

const pets = (more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "Pets", version: "2.0.1" },
  servers: [{ url: `${upstream.url}/v2` }],
  paths: {
    "/pets/{petId}": {
      parameters: [
        { name: "petId", in: "path", required: true, schema: { type: ["integer", "string"] } },
      ],
      get: {
        operationId: "getPet",
        summary: "Read a pet",
        parameters: [
          { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "ids", in: "query", explode: false, schema: { type: "array", items: {} } },
          { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
        ],
      },
      put: {
        operationId: "renamePet",
        requestBody: {
          required: true,
          content: {
            "application/merge-patch+json": { schema: { $ref: "#/components/schemas/Pet" } },
          },
        },
      },
    },
    "/login": {
      post: {
        operationId: "login",
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: {} } } },
      },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string", minLength: 1 }, tags: { type: "array", items: {} } },
      },
    },
  },
  ...more,
});

const make = (config: object, more: object = {}) =>
  owner(`POST ${ALL}`, { name: "Pets", type: "openapi", config, ...more });

const invokeOn = (connectorId: string, action: string, input: object) =>
  owner(`POST ${ALL}/${connectorId}/invoke`, { action, input });
const invoke = (action: string, input: object) => invokeOn(id, action, input);

test("a document becomes actions, and is not stored itself", async () => {
  expect(answer).toMatchObject({
    status: 201,
    events: ["connector.created"],
    body: {
      data: {
        config: { document: "***" },
        document: {
          title: "Pets",
          version: "2.0.1",
          serverUrl: `${upstream.url}/v2`,
          actions: 3,
          leftOut: 0,
        },
      },
    },
  });
  const first = (await owner(`GET ${ALL}/${id}/actions?limit=2`)).body;
  expect(first.data).toMatchObject([
    {
      name: "getPet",
      summary: "Read a pet",
      source: "document",
      input: { type: "object", required: ["petId"] },
    },
    { name: "login" },
  ]);
  expect(Object.keys(first.data[0])).toEqual(["name", "summary", "input", "source"]);
  const rest = await owner(`GET ${ALL}/${id}/actions?after=${first.pagination.nextCursor}`);
  expect(rest.body.data).toMatchObject([{ name: "renamePet" }]);
  expect(upstream.received).toEqual([]);
});

test("an action sends the request of its operation", async () => {
  const got = await invoke("getPet", {
    petId: "a/b c",
    fields: ["name", "age"],
    ids: [1, 2],
    filter: { kind: "cat", old: true },
    "X-Trace": "t-1",
  });
  expect(got.body.data).toMatchObject({ status: 200, body: { ok: true } });
  await invoke("renamePet", { petId: 7, body: { name: "Rex" } });
  await invoke("login", { petId: 7, body: { user: "u" } });
  await invoke("login", { body: { user: "ada", password: "x y" } });
  await invoke("login", {});
  expect(
    upstream.received.map(({ method, path, headers, text }) => [
      `${method} ${path}`,
      headers["content-type"],
      headers["x-trace"] ?? headers["x-team"],
      text,
    ]),
  ).toEqual([
    [
      "GET /v2/pets/a%2Fb%20c?fields=name&fields=age&ids=1%2C2&filter%5Bkind%5D=cat&filter%5Bold%5D=true",
      undefined,
      "t-1",
      "",
    ],
    ["PUT /v2/pets/7", "application/merge-patch+json", "ops", '{"name":"Rex"}'],
    ["POST /v2/login", "application/x-www-form-urlencoded", "ops", "user=ada&password=x+y"],
    ["POST /v2/login", undefined, "ops", ""],
  ]);
});

test("an input is validated against the schema of the action, at all levels", async () => {
  const faults = async (action: string, input: object): Promise<string[]> => {
    const { status, body, events } = await invoke(action, input);
    expect({ status, events }).toEqual({ status: 422, events: [] });
    return body.errors.map(({ path, message }: any) => `${path} ${message}`);
  };
  expect(await faults("getPet", {})).toEqual(["/input/petId is required"]);
  expect(await faults("getPet", { petId: true })).toEqual([
    expect.stringContaining("/input/petId must be"),
  ]);
  expect(await faults("getPet", { petId: 1, colour: 1 })).toEqual([
    "/input/colour is not a known field",
  ]);
  expect(await faults("renamePet", { petId: 1, body: { name: "" } })).toEqual([
    expect.stringContaining("/input/body/name"),
  ]);
  expect(await faults("renamePet", { petId: 1, body: { tags: [] } })).toEqual([
    "/input/body/name is required",
  ]);
  for (const petId of ["", ".", ".."]) {
    expect(await faults("getPet", { petId })).toEqual(["/input/petId must be a path segment"]);
  }
  expect((await invoke("getPets", {})).body.code).toBe("unknown_action");
  expect(upstream.received).toEqual([]);
});

test("an input that is too large to validate is left to the upstream", async () => {
  const tags = Array.from({ length: 99_000 }, () => 1);
  expect((await invoke("renamePet", { petId: 1, body: { tags } })).status).toBe(200);
});

test("a document is loaded from its URL, and again on refresh", async () => {
  let document: object = pets();
  upstream.answer = ({ path }, response) =>
    path === "/moved"
      ? response.writeHead(302, { location: "/openapi.json" }).end()
      : json(response, document);
  const { body } = await make(
    { url: `${upstream.url}/moved` },
    { auth: { kind: "bearer", token: "t0k3n" } },
  );
  const { id: read } = body.data;
  expect(body.data.document).toMatchObject({ actions: 3 });
  // The credentials are for the API.
  expect(upstream.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ["/moved", undefined],
    ["/openapi.json", undefined],
  ]);
  document = pets({
    paths: { "/new": { get: { operationId: "newest" } } },
    servers: [{ url: "/v9" }],
  });
  world.clock.advance(60_000);
  const refreshed = await owner(`POST ${ALL}/${read}/refresh`);
  expect(refreshed).toMatchObject({
    status: 200,
    events: ["connector.updated"],
    body: { data: { document: { actions: 1, serverUrl: `${upstream.url}/v9` } } },
  });
  const [event] = (await owner("GET /api/v1/audit?limit=1")).body.data;
  expect(event.data.changes).toEqual(["document", "actions"]);
  upstream.answer = OK;
  await invokeOn(read, "newest", {});
  expect(upstream.received.at(-1)?.path).toBe("/v9/new");
  expect((await invokeOn(read, "getPet", { petId: 1 })).status).toBe(404);
  // If the publisher changes the server URL of a document, no credentials are sent there.
  const moved = { ...pets(), servers: [{ url: "https://elsewhere.example.com/v9" }] };
  upstream.answer = (_received, response) => json(response, moved);
  expect(await owner(`POST ${ALL}/${read}/refresh`)).toMatchObject({
    status: 409,
    body: { code: "server_moved" },
    events: [],
  });
});

test("a masked document is kept, and another value replaces it", async () => {
  const { body } = await owner(`GET ${ALL}/${id}`);
  const changed = await owner(`PATCH ${ALL}/${id}`, {
    config: { ...body.data.config, baseUrl: `${upstream.url}/other` },
  });
  expect(changed.events).toEqual(["connector.updated", "connector.status_changed"]);
  await invoke("getPet", { petId: 1 });
  expect(upstream.received.at(-1)?.path).toBe("/other/pets/1");
  const document = JSON.stringify(pets({ paths: { "/x": { get: { operationId: "x" } } } }));
  await owner(`PATCH ${ALL}/${id}`, { config: { document } });
  const { data } = (await owner(`GET ${ALL}/${id}/actions`)).body;
  expect(data.map(({ name }: any) => name)).toEqual(["x"]);
  expect(await make({ document: "***" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/config/document", message: "has no stored value" }] },
  });
  expect(await owner(`POST ${ALL}/${id}/refresh`)).toMatchObject({
    status: 409,
    body: { code: "nothing_to_refresh" },
    events: [],
  });
});

test("rejects documents that are invalid or use internal addresses", async () => {
  const faultOf = async (config: object): Promise<unknown> => {
    const { status, body, events } = await make(config);
    expect({ status, events }).toEqual({ status: 422, events: [] });
    return body.errors[0];
  };
  expect(await faultOf({ document: "hello" })).toEqual({
    path: "/config/document",
    message: "must be an OpenAPI document of version 3",
  });
  expect(await faultOf({ document: JSON.stringify(pets({ servers: [] })) })).toMatchObject({
    path: "/config/baseUrl",
  });
  const inner = pets({ servers: [{ url: "http://169.254.169.254/latest" }] });
  expect(await faultOf({ document: JSON.stringify(inner) })).toMatchObject({
    path: "/config/baseUrl",
    message: expect.stringContaining("is not public"),
  });
  const answers: [Upstream["answer"], string][] = [
    [(_, response) => json(response, {}, 404), "the response was 404"],
    [
      (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
      "is not public",
    ],
    [(_, response) => void response.end(Buffer.alloc(4_000_001, " ")), "too large"],
    [(_, response) => response.destroy(), "can't be loaded"],
  ];
  for (const [answering, message] of answers) {
    upstream.answer = answering;
    expect(await faultOf({ url: `${upstream.url}/doc` })).toMatchObject({
      path: "/config/url",
      message: expect.stringContaining(message),
    });
  }
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(await faultOf({ document: deep })).toMatchObject({ path: "/config/document" });
});
