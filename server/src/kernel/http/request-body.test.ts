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

test("a NUL in the path is an error, too", async () => {
  expect(await agent("GET /sso/a%00b/login")).toMatchObject({ status: 422, events: [] });
});

test.each([
  "application/x-www-form-urlencoded",
  "APPLICATION/X-WWW-FORM-URLENCODED; charset=utf-8",
])("a form as %s is refused where only JSON will do", async (type) => {
  const form = { "content-type": type };
  const answer = await agent("POST /api/v1/notes", "title=Form&body=Text", form);
  expect(answer).toMatchObject({ status: 415, events: [] });
});

test("the name of a media type may be spelt in any case", async () => {
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
])("%s can only be read", async (url) => {
  expect(await world.stranger(`POST ${url}`)).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
    body: { code: "method_not_allowed" },
  });
  expect(await world.stranger(`OPTIONS ${url}`)).toMatchObject({ status: 204 });
});
