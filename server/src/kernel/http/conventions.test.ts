import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { withOwnerClient } from "../db/setup/owner-connection.ts";
import { startWorld, useWorld } from "../testing/world.ts";

const world = await useWorld();
const agent = await world.member(["owner"]);

let count = 0;
const draft = () => ({ title: `Convention ${(count += 1)}`, body: "Text" });

describe("envelope", () => {
  test("a create returns the resource under data, with Location and ETag", async () => {
    const answer = await agent("POST /api/v1/notes", draft());
    expect(answer).toMatchObject({ status: 201, events: ["note.created"] });
    expect(answer.headers).toMatchObject({
      location: `/api/v1/notes/${answer.body.data.id}`,
      etag: '"1"',
    });
    expect(Object.keys(answer.body)).toEqual(["data"]);
  });

  test("paths without a version use the same operation", async () => {
    expect(await agent("POST /api/notes", draft())).toMatchObject({
      status: 201,
      events: ["note.created"],
    });
  });

  test("a delete has an empty response", async () => {
    const { body } = await agent("POST /api/v1/notes", draft());
    const gone = await agent(`DELETE /api/v1/notes/${body.data.id}`);
    expect(gone).toMatchObject({ status: 204, body: undefined, events: ["note.deleted"] });
    expect(await agent(`GET /api/v1/notes/${body.data.id}`)).toMatchObject({ status: 404 });
  });

  test("an update event contains before, after and the changed fields", async () => {
    const { body } = await agent("POST /api/v1/notes", draft());
    await agent(`PATCH /api/v1/notes/${body.data.id}`, { body: "New" });
    const audit = await agent(`GET /api/v1/audit?type=note.updated&resourceId=${body.data.id}`);
    expect(audit.body.data).toHaveLength(1);
    expect(audit.body.data[0].data).toMatchObject({
      before: { body: "Text" },
      after: { body: "New" },
      changes: ["body"],
    });
  });
});

describe("problems", () => {
  test("a failure is a problem document with the request id", async () => {
    const answer = await agent("GET /api/v1/notes/note_00000000000000000000000000", undefined, {
      "x-request-id": "my-own-id",
    });
    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.body).toEqual({
      type: "urn:millrace:problem:not_found",
      title: "Not found.",
      status: 404,
      detail: "Note note_00000000000000000000000000 does not exist, or you can't see it.",
      instance: "/api/v1/notes/note_00000000000000000000000000",
      code: "not_found",
      requestId: "my-own-id",
    });
  });

  test("lists every field error with its path", async () => {
    const { status, body } = await agent("POST /api/v1/notes?x=1", { title: "", more: 1 });
    expect(status).toBe(422);
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "/body",
      "/more",
      "/title",
      "?x",
    ]);
  });

  test.each([
    ["malformed JSON", '{"title": ', 400, "malformed_request"],
    ["a prototype key", '{"__proto__": {"a": 1}}', 400, "malformed_request"],
    ["deep nesting", `${"[".repeat(5000)}${"]".repeat(5000)}`, 422, "invalid"],
    ["a number beyond all numbers", '{"title": 1e999}', 422, "invalid"],
  ])("rejects %s", async (_, body, status, code) => {
    expect(await agent("POST /api/v1/notes", body)).toMatchObject({
      status,
      body: { code },
      events: [],
    });
  });

  test.each(['{"a": {"__proto__": {"x": 1}}}', '{"constructor": {"prototype": 1}}'])(
    "reports the error of %s, which is valid JSON",
    async (body) => {
      expect(await agent("POST /api/v1/notes", body)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("named `__proto__`") },
        events: [],
      });
    },
  );

  test("a parse error does not quote the body", async () => {
    const { body } = await agent("POST /api/v1/notes", '{"title": hunter2}');
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  test("responds 413 to large bodies and 415 to unsupported media types", async () => {
    const large = JSON.stringify({ title: "x", body: "y".repeat(1024 * 1024) });
    expect(await agent("POST /api/v1/notes", large)).toMatchObject({ status: 413 });
    const form = { "content-type": "text/plain" };
    expect(await agent("POST /api/v1/notes", "title=x", form)).toMatchObject({ status: 415 });
  });

  test("rejects bytes that are not UTF-8", async () => {
    const reply = await world.app.inject({
      method: "POST",
      url: "/api/v1/notes",
      headers: {
        authorization: `Bearer ${agent.token}`,
        "x-workspace": "default",
        "content-type": "application/json",
      },
      payload: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    });
    expect(reply.statusCode).toBe(400);
  });

  test("responds 405 with Allow to a wrong method and 404 to an unknown path", async () => {
    const answer = await world.stranger("PUT /api/v1/notes");
    expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, POST" } });
    expect(await world.stranger("GET /api/v1/nothing")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await world.stranger("OPTIONS /api/v1/notes")).toMatchObject({ status: 204 });
  });

  test("internal errors reveal no details and are logged completely", async () => {
    await world.sql("alter table notes rename to hidden");
    try {
      const answer = await agent("POST /api/v1/notes", draft());
      expect(answer).toMatchObject({ status: 500, body: { code: "internal" }, events: [] });
      expect(JSON.stringify(answer.body)).not.toMatch(/relation|exist|insert/i);
      expect(world.lines.some((line) => line.includes('relation \\"notes\\" does not exist'))).toBe(
        true,
      );
    } finally {
      await world.sql("alter table hidden rename to notes");
    }
  });

  test("rejects bytes that are not HTTP and closes the connection", async () => {
    await world.app.listen({ port: 0, host: "127.0.0.1" });
    const address = world.app.server.address();
    if (typeof address !== "object" || !address) throw new Error("not listening");
    const answer = await new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(address.port, "127.0.0.1", () =>
        socket.write("NOT HTTP AT ALL\r\n\r\n"),
      );
      socket.on("data", (part) => (text += part));
      socket.on("close", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 .*malformed_request/s);
  });
});

describe("headers", () => {
  test("echoes X-Request-ID or creates one, and stores it in the event", async () => {
    const own = await agent("POST /api/v1/notes", draft(), { "x-request-id": "trace-42" });
    expect(own.headers["x-request-id"]).toBe("trace-42");
    expect(own.events).toEqual(["note.created"]);
    const made = await agent("GET /api/v1/notes?limit=1");
    expect(made.headers["x-request-id"]).toMatch(/^req_/);
    const unfit = await agent("GET /api/v1/notes?limit=1", undefined, {
      "x-request-id": "a b".repeat(100),
    });
    expect(unfit.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("If-Match guards an update, and the ETag changes with it", async () => {
    const { body, headers } = await agent("POST /api/v1/notes", draft());
    const path = `/api/v1/notes/${body.data.id}`;
    const etag = headers["etag"] ?? "";
    const first = await agent(`PATCH ${path}`, { body: "Once" }, { "if-match": etag });
    expect(first).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    const second = await agent(`PATCH ${path}`, { body: "Twice" }, { "if-match": etag });
    expect(second).toMatchObject({ status: 412, events: [] });
    expect(await agent(`PATCH ${path}`, { body: "Any" }, { "if-match": "*" })).toMatchObject({
      status: 200,
    });
  });

  test("responds 304 to If-None-Match for an unchanged resource", async () => {
    const { body, headers } = await agent("POST /api/v1/notes", draft());
    const etag = headers["etag"] ?? "";
    const again = await agent(`GET /api/v1/notes/${body.data.id}`, undefined, {
      "if-none-match": etag,
    });
    expect(again).toMatchObject({ status: 304, body: undefined });
  });

  test("counts the rate limit per credential and rejects with Retry-After", async () => {
    await using limited = await startWorld({ env: { MILLRACE_RATE_LIMIT: "3" } });
    const one = await limited.member(["viewer"]);
    const two = await limited.member(["viewer"]);
    const left = [];
    for (let index = 0; index < 3; index += 1) {
      left.push((await one("GET /api/v1/auth/me")).headers["ratelimit-remaining"]);
    }
    expect(left).toEqual(["2", "1", "0"]);
    const refused = await one("GET /api/v1/auth/me");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(await two("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
    limited.clock.advance(60_000);
    expect(await one("GET /api/v1/auth/me")).toMatchObject({ status: 200 });
  });

  test("rejects the cookie on cross-site requests", async () => {
    const cookie = `other=1; millrace_session=${agent.token}`;
    const home = { cookie, "x-workspace": "default", host: "desk.example.com" };
    const send = (origin?: string) =>
      world.stranger("POST /api/v1/notes", draft(), { ...home, ...(origin && { origin }) });
    expect(await send("https://evil.example")).toMatchObject({
      status: 403,
      body: { code: "cross_origin" },
    });
    expect(await send()).toMatchObject({ status: 403, events: [] });
    expect(await send("https://desk.example.com")).toMatchObject({ status: 201 });
    expect(await world.stranger("GET /api/v1/notes", undefined, home)).toMatchObject({
      status: 200,
    });
  });
});

describe("partitions", () => {
  test("an environment sees only its own resources and events", async () => {
    const staging = { "x-environment": "staging" };
    const { body } = await agent("POST /api/v1/notes", draft(), staging);
    expect(await agent(`GET /api/v1/notes/${body.data.id}`)).toMatchObject({ status: 404 });
    expect(await agent(`GET /api/v1/notes/${body.data.id}`, undefined, staging)).toMatchObject({
      status: 200,
    });
    const path = `GET /api/v1/audit?resourceId=${body.data.id}`;
    expect((await agent(path)).body.data).toEqual([]);
    expect((await agent(path, undefined, staging)).body.data).toHaveLength(1);
  });

  test("events of the workspace belong to production, independent of the header", async () => {
    const staging = { "x-environment": "staging" };
    const change = { description: "Not to be hidden" };
    const { events } = await agent("PATCH /api/v1/workspaces/default", change, staging);
    expect(events).toEqual(["workspace.updated"]);
    const hidden = await agent("GET /api/v1/audit?type=workspace.updated", undefined, staging);
    expect(hidden.body.data).toEqual([]);
    const shown = await agent("GET /api/v1/audit?type=workspace.updated&limit=1");
    expect(shown.body.data[0].data.after.description).toBe("Not to be hidden");
  });

  test("a statement without a workspace is a database error", async () => {
    await withOwnerClient(world.database.app, async (client) => {
      await expect(client.query("select * from notes")).rejects.toThrow(/millrace.workspace/);
      await client.query(
        "begin; set local millrace.workspace = ''; set local millrace.environment = ''",
      );
      await expect(client.query("select * from notes")).rejects.toThrow(/uuid/);
    });
  });

  test("the application cannot change or delete events", async () => {
    for (const statement of [
      "update events set type = 'x'",
      "delete from events",
      "truncate events",
    ]) {
      await expect(
        world.kernel.db.write({ workspace: world.home, environment: "production" }, (session) =>
          session.send(statement, []),
        ),
      ).rejects.toThrow(/permission denied/);
    }
  });
});

describe("pages", () => {
  test("returns every item once in order for all page sizes, unaffected by new items", async () => {
    const here = { "x-environment": "development" };
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      ids.push((await agent("POST /api/v1/notes", draft(), here)).body.data.id);
    }
    const seen: string[] = [];
    let after = "";
    do {
      const { body } = await agent(`GET /api/v1/notes?limit=2${after}`, undefined, here);
      expect(body.pagination).toMatchObject({
        limit: 2,
        hasMore: body.pagination.nextCursor !== null,
      });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      after = body.pagination.nextCursor === null ? "" : `&after=${body.pagination.nextCursor}`;
    } while (after !== "");
    expect(seen).toEqual(ids.toSorted());
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "limit=1.5",
    "limit=",
    "after=made-up",
    "after=WyJub3RlIl0.AAAA",
  ])("rejects %s", async (query) => {
    expect(await agent(`GET /api/v1/notes?${query}`)).toMatchObject({ status: 422 });
  });

  test("rejects a cursor of another list", async () => {
    const { body } = await agent("GET /api/v1/event-types?limit=1");
    const cursor = body.pagination.nextCursor;
    expect(await agent(`GET /api/v1/notes?after=${cursor}`)).toMatchObject({ status: 422 });
  });
});
