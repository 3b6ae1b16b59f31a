import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));
const SHOP = "https://shop.example.com";

/** The change takes effect when the cache expires. */
async function allow(corsOrigins: unknown) {
  const answer = await owner("PATCH /api/v1/workspaces/default", { corsOrigins });
  world.clock.advance(11_000);
  return answer;
}

const preflight = (origin: string, path = "/api/v1/notes") =>
  world.stranger(`OPTIONS ${path}`, undefined, {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,x-workspace",
  });
const allowed = ({ headers }: { headers: Record<string, string> }) =>
  headers["access-control-allow-origin"];

test("pages of other origins cannot read anything until a workspace lists their origin", async () => {
  expect(allowed(await preflight(SHOP))).toBeUndefined();
  expect(allowed(await owner("GET /api/v1/notes", undefined, { origin: SHOP }))).toBeUndefined();

  expect(await allow([SHOP, "http://localhost:3000"])).toMatchObject({
    status: 200,
    body: { data: { corsOrigins: [SHOP, "http://localhost:3000"] } },
    events: ["workspace.updated"],
  });
  const asked = await preflight(SHOP);
  expect(asked).toMatchObject({ status: 204, headers: { allow: "GET, HEAD, POST" } });
  expect(asked.headers).toMatchObject({
    "access-control-allow-origin": SHOP,
    "access-control-allow-methods": expect.stringContaining("PATCH"),
    "access-control-allow-headers": expect.stringMatching(/Authorization.*X-Workspace/),
    vary: "origin",
  });
  const answer = await owner("GET /api/v1/notes", undefined, { origin: SHOP });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.headers).toMatchObject({
    "access-control-allow-origin": SHOP,
    "access-control-expose-headers": expect.stringContaining("ETag"),
  });
  // They can also read errors, and operations without a workspace such as the token endpoint.
  const headers = { origin: SHOP };
  expect(allowed(await owner("GET /api/v1/notes/unknown", undefined, headers))).toBe(SHOP);
  expect(allowed(await world.stranger("POST /api/v1/oauth/token", {}, headers))).toBe(SHOP);
  // Never with a cookie.
  expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");

  await allow([]);
  expect(allowed(await preflight(SHOP))).toBeUndefined();
});

test("each workspace has a separate list, and unknown origins are in none", async () => {
  await allow([SHOP]);
  const there = await elsewhere("GET /api/v1/notes", undefined, { origin: SHOP });
  expect([there.status, allowed(there)]).toEqual([200, undefined]);
  for (const origin of [
    "null",
    "https://example.com",
    `${SHOP}.evil.example`,
    "http://shop.example.com",
    `${SHOP}:8443`,
  ]) {
    expect([origin, allowed(await preflight(origin))]).toEqual([origin, undefined]);
  }
  expect(allowed(await preflight(SHOP, "/api/v1/nowhere"))).toBe(SHOP);
  expect((await preflight(SHOP, "/api/v1/nowhere")).status).toBe(404);
});

test.each([
  "*",
  "null",
  "https://shop.example.com/",
  "https://SHOP.example.com",
  "ftp://a.example",
  "shop",
  "https://a.example:443",
  "https://u@a.example",
])("rejects the origin %s", async (origin) => {
  const answer = await owner("PATCH /api/v1/workspaces/default", {
    corsOrigins: ["https://fine.example", origin],
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/corsOrigins/1" }] },
    events: [],
  });
});
