import { expect, test } from "vitest";
import { useWorld } from "../testing/world.ts";

const world = await useWorld();
const agent = await world.member(["owner"]);

test.each([
  ["actorId=%00", "?actorId"],
  ["actorId=a&actorId=%00", "?actorId/1"],
  ["%00=a", "?"],
])("a NUL in the query %s is an error at %s", async (query, path) => {
  const answer = await agent(`GET /api/v1/audit?${query}`);
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] }, events: [] });
});

test.each([
  "GET /sso/a%00b/login",
  "GET /api/v1/notes/",
  "GET /api/v1/notes/unknown",
  "GET /api/v1/notes/usr_01jd0000000000000000000000",
  "PATCH /api/v1/notes/%F0%9F%91%8B",
  "DELETE /api/v1/notes/note_",
])("%s is not found", async (route) => {
  const body = route.startsWith("PATCH") ? {} : undefined;
  expect(await agent(route, body)).toMatchObject({ status: 404, events: [] });
});

test.each(["application/json", "text/csv"])("reports a missing body for %s", async (type) => {
  const path = type === "text/csv" ? "/api/v1/cmdb/import" : "/api/v1/notes";
  const answer = await agent(`POST ${path}`, "", { "content-type": type });
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: "The body is required", errors: [{ path: "", message: "is required" }] },
    events: [],
  });
});

test("reports missing permissions of a credential by RFC 6750", async () => {
  const viewer = await world.member([]);
  expect(await viewer("GET /api/v1/notes")).toMatchObject({
    status: 403,
    headers: {
      "www-authenticate": expect.stringMatching(
        /^Bearer error="insufficient_scope", scope="notes:\w+"$/,
      ),
    },
  });
  const cookie = await world.stranger("GET /api/v1/notes", undefined, {
    cookie: "millrace_session=mrs_guessed",
  });
  expect(cookie.headers["www-authenticate"]).toMatch(/^Bearer resource_metadata="[^"]+"$/);
  const [, url = ""] =
    /resource_metadata="([^"]+)"/.exec(cookie.headers["www-authenticate"] ?? "") ?? [];
  const origin = url.replace(/\/\.well-known.*/, "");
  expect(await world.stranger(`GET ${url.slice(origin.length)}`)).toMatchObject({
    status: 200,
    body: {
      resource: origin,
      authorization_servers: [origin],
      bearer_methods_supported: ["header"],
      scopes_supported: expect.arrayContaining(["profile"]),
    },
  });
});

test.each([
  "application/x-www-form-urlencoded",
  "APPLICATION/X-WWW-FORM-URLENCODED; charset=utf-8",
])("rejects a form sent as %s if the operation requires JSON", async (type) => {
  const form = { "content-type": type };
  const answer = await agent("POST /api/v1/notes", "title=Form&body=Text", form);
  expect(answer).toMatchObject({ status: 415, events: [] });
});

test("media types are case-insensitive", async () => {
  const answer = await agent("POST /api/v1/notes", '{"title":"Loud","body":"Text"}', {
    "content-type": "Application/JSON; charset=utf-8",
  });
  expect(answer).toMatchObject({ status: 201, events: ["note.created"] });
});

test.each([
  "/healthz",
  "/readyz",
  "/metrics",
  "/docs",
  "/docs/reference.js",
  "/api/v1/openapi.json",
  "/api/v1/openapi.yaml",
])("%s is read-only", async (url) => {
  expect(await world.stranger(`POST ${url}`)).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
    body: { code: "method_not_allowed" },
  });
  expect(await world.stranger(`OPTIONS ${url}`)).toMatchObject({ status: 204 });
});

test("a bulk accepts 1,000 records of 200 columns, and any other body fewer values", async () => {
  const names = Array.from({ length: 200 }, (_, column) => `c${column}`);
  const record = Object.fromEntries(names.map((name) => [name, 1]));
  const records = Array.from({ length: 1_000 }, () => record);
  const bulk = await agent("POST /api/v1/tables/unknown/records/bulk", { records });
  expect(bulk).toMatchObject({ status: 404, events: [] });
  const more = { records: [...records, ...records] };
  const tooMany = await agent("POST /api/v1/tables/unknown/records/bulk", more);
  expect(tooMany).toMatchObject({ status: 413, events: [] });
  const note = { body: Array.from({ length: 100_001 }, () => 1) };
  expect(await agent("POST /api/v1/notes", note)).toMatchObject({ status: 413, events: [] });
});
