import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();

test.each([
  ["can't be decoded", "/api/v1/runs/%ED%A0%80"],
  ["has a word that is too long", `/api/v1/runs/${"9".repeat(600)}`],
])("responds to a path that %s like to any unknown path", async (_, url) => {
  const { statusCode, headers } = await world.app.inject({
    url,
    headers: { "x-request-id": "mine" },
  });
  expect(statusCode).toBe(404);
  expect(headers).toMatchObject({
    "content-type": "application/problem+json; charset=utf-8",
    "x-request-id": "mine",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
});

test.each([
  ["GET /api/v1/runs/retry", 405, "POST"],
  ["HEAD /api/v1/runs/retry", 405, "POST"],
  ["OPTIONS /api/v1/runs/retry", 204, "POST"],
  ["PUT /api/v1/runs/%72etry?a=b", 405, "POST"],
  ["DELETE /api/v1/tables/orders/records/bulk", 401, undefined],
  ["POST /api/v1/tables/orders/records/import", 401, undefined],
  ["PATCH /api/v1/tables/orders/records/import", 405, "POST"],
  ["POST /calendars/abc.ics", 405, "GET, HEAD"],
  ["PUT /apps/default/shop/any/page", 405, "GET, HEAD"],
  ["POST /api/v1/runs/retry/nowhere", 404, undefined],
  ["POST /nowhere", 404, undefined],
])("responds to %s with %i for any body", async (route, status, allow) => {
  const [method, url] = route.split(" ") as ["GET" | "HEAD", string];
  const payload = method === "HEAD" || method === "GET" ? {} : { payload: "{" };
  const { statusCode, headers } = await world.app.inject({ method, url, ...payload });
  expect([statusCode, headers.allow]).toEqual([status, allow]);
});

test.each([
  ["/password/x", 404, /Page not found.*Forgot your password.*href="\.\.\/login"/s],
  ["/password", 422, /This link is incomplete.*href="\.\/login"/s],
  ["/invitations/", 404, /Page not found.*Ask the person who invited you.*href="\.\.\/login"/s],
  ["/invitations?token=mri_wrong", 410, /This link has expired.*Ask/s],
  ["/files/half/a/link", 404, /Page not found.*href="\.\.\/\.\.\/\.\.\/"/s],
  ["/logout", 405, /Page not found.*href="\.\/"/s],
  ["/api/v1/nowhere", 404, /"code":"not_found"/],
])("shows browsers at %s the problem and a link", async (url, status, words) => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const { statusCode, body } = await world.app.inject({ url, headers: { accept } });
  expect(statusCode).toBe(status);
  expect(body).toMatch(words);
});

test("HEAD has the headers of the page, and clients that accept anything get a problem document", async () => {
  const typeOf = async (method: "GET" | "HEAD", accept: string) =>
    (await world.app.inject({ method, url: "/files/half/a/link", headers: { accept } })).headers[
      "content-type"
    ];
  expect(await typeOf("HEAD", "text/html")).toBe("text/html; charset=utf-8");
  for (const accept of ["*/*", "application/json"]) {
    expect(await typeOf("GET", accept)).toBe("application/problem+json; charset=utf-8");
  }
});

test("finds the page above a long path quickly", async () => {
  const headers = { accept: "text/html" };
  const answer = (words: number) =>
    world.app.inject({ url: `/password${"/".repeat(words)}`, headers });
  expect((await answer(2)).body).toMatch(/Forgot your password/);
  const startedMs = performance.now();
  expect((await answer(30_000)).statusCode).toBe(404);
  // A look-up per word would take half a minute.
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});

test("responds to OPTIONS *, and logs no error if a client disconnects during a body", async () => {
  const { port } = new URL(await world.app.listen({ host: "127.0.0.1", port: 0 }));
  const whole = request({ port, method: "OPTIONS", path: "*" }).end();
  const [about] = (await once(whole, "response")) as [IncomingMessage];
  about.resume();
  expect([about.statusCode, about.headers.allow]).toEqual([
    204,
    "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
  ]);
  const target = request({ port, path: "http://millrace.example.com/healthz?a=b" }).end();
  const [asked] = (await once(target, "response")) as [IncomingMessage];
  asked.resume();
  // In the form of a request to a proxy.
  expect(asked.statusCode).toBe(200);
  const socket = connect(Number(port), "127.0.0.1", () => {
    socket.write(
      "POST /api/v1/auth/token HTTP/1.1\r\nHost: x\r\nX-Request-ID: cut-off\r\n" +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email"',
      () => setImmediate(() => socket.destroy()),
    );
  });
  await new Promise((resolve) => socket.once("close", resolve));
  const open = (): Promise<number> =>
    new Promise((resolve) => world.app.server.getConnections((_, count) => resolve(count)));
  await until(async () => (await open()) === 0);
  // The log line would be written before the next response.
  expect((await world.stranger("GET /healthz")).status).toBe(200);
  expect(world.lines.filter((line) => line.includes("request failed"))).toEqual([]);
});

test("does not log a secret in an address, for any method and path", async () => {
  for (const route of [
    "GET /hooks/default/module/name/open-sesame",
    "PUT /hooks/default/open-sesame",
    "DELETE /downloads/open-sesame",
    "POST /calendars/open-sesame.ics",
    "GET /forms/default/open-sesame/second/further",
    "PUT /chat/default/open-sesame",
    "GET /resume/run_1/open-sesame/form/further",
  ]) {
    expect([404, 405]).toContain((await world.stranger(route)).status);
  }
  await until(async () => world.lines.filter((line) => /"status":40[45]/.test(line)).length >= 7);
  expect(world.lines.filter((line) => line.includes("open-sesame"))).toEqual([]);
});
