import type { RequestListener } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { Outbound, type OutboundRequest } from "./outbound.ts";
import { serve, type Loopback } from "./testing/server.ts";

const outbound = new Outbound({
  allow: ["127.0.0.1/32"],
  lookup: async (hostname) => (hostname === "inner.test" ? ["10.0.0.1"] : ["127.0.0.1"]),
});
afterAll(() => outbound.close());

const SECRETS = { Authorization: "Bearer 1", Cookie: "a=1", "X-Api-Key": "2", Accept: "text/html" };

function call(server: Loopback, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: "GET",
    url: `http://127.0.0.1:${server.port}/start`,
    headers: SECRETS,
    allowHttp: true,
    redirects: 5,
    timeoutMs: 10_000,
    maxResponseBytes: 1024,
    ...more,
  };
}

/** Responds to the first request with a redirect, and to any other with 200. */
function redirecting(status: number, location: (self: string) => string): RequestListener {
  return (request, response) => {
    request.resume();
    if (request.url !== "/start") return response.end("arrived");
    const self = String(request.headers.host);
    return response.writeHead(status, { location: location(self) }).end("moved");
  };
}

describe("redirects", () => {
  test("are ordinary responses unless redirects are enabled", async () => {
    await using server = await serve(redirecting(302, () => "/next"));
    const { redirects: _, ...plain } = call(server);
    const answer = await outbound.request(plain);
    expect(answer).toMatchObject({ status: 302, headers: { location: "/next" } });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["POST", 301, "GET", undefined],
    ["POST", 302, "GET", undefined],
    ["PUT", 302, "PUT", "2"],
    ["POST", 303, "GET", undefined],
    ["DELETE", 303, "GET", undefined],
    ["HEAD", 303, "HEAD", undefined],
    ["POST", 307, "POST", "2"],
    ["PATCH", 308, "PATCH", "2"],
  ])("turn %s with %i into %s", async (method, status, next, length) => {
    await using server = await serve(redirecting(status, () => "/next?a=1"));
    const body = method === "HEAD" ? {} : { body: "{}" };
    const headers = { ...SECRETS, "Content-Type": "application/json" };
    const answer = await outbound.request(call(server, { method, headers, ...body }));
    expect(answer.status).toBe(200);
    const request = server.requests[1];
    expect(request).toMatchObject({ method: next, url: "/next?a=1" });
    // To the same origin, all headers are sent, and body headers only with the body.
    expect(request?.headers).toMatchObject({ authorization: "Bearer 1", "x-api-key": "2" });
    expect(request?.headers["content-type"]).toBe(
      next === "GET" ? undefined : headers["Content-Type"],
    );
    if (method !== "DELETE") expect(request?.headers["content-length"]).toBe(length);
  });

  test("to another origin permanently drop every header that can contain a credential", async () => {
    await using server = await serve((request, response) => {
      const host = String(request.headers.host);
      const there = host.replace("127.0.0.1", "other.test");
      const back = host.replace("other.test", "127.0.0.1");
      const target = { "/start": `http://${there}/there`, "/there": `http://${back}/back` };
      const location = target[request.url as keyof typeof target];
      if (location === undefined) response.end("arrived");
      else response.writeHead(302, { location }).end();
    });
    expect((await outbound.request(call(server))).status).toBe(200);
    const [, there, back] = server.requests;
    for (const request of [there, back]) {
      expect(request?.headers).toMatchObject({ accept: "text/html" });
      expect(request?.rawHeaders.join()).not.toMatch(/authorization|cookie|api-key/i);
    }
  });

  test("never repeat a body to another origin", async () => {
    await using server = await serve(
      redirecting(307, (self) => `http://${self.replace("127.0.0.1", "other.test")}/next`),
    );
    const answer = await outbound.request(call(server, { method: "POST", body: "secret" }));
    expect(answer.status).toBe(307);
    expect(server.requests).toHaveLength(1);
  });

  test("in a loop end after the maximum number", async () => {
    await using server = await serve(redirecting(302, () => "/start"));
    await expect(outbound.request(call(server, { redirects: 3 }))).rejects.toMatchObject({
      kind: "redirects",
    });
    expect(server.requests).toHaveLength(4);
  });

  test("share one time limit", async () => {
    await using server = await serve((request, response) => {
      if (request.url === "/start") response.writeHead(302, { location: "/hang" }).end();
    });
    await expect(outbound.request(call(server, { timeoutMs: 150 }))).rejects.toMatchObject({
      kind: "timeout",
    });
  });

  test.each([
    ["http://10.0.0.1/", "address"],
    ["//169.254.169.254/latest/meta-data/", "address"],
    ["http://[::1]:9/", "address"],
    ["http://2130706434/", "address"],
    ["http://inner.test/", "address"],
    ["http://user:password@other.test/", "url"],
    ["http://other.test:0/", "url"],
    ["http://", "url"],
    ["file:///etc/passwd", "scheme"],
    ["ftp://other.test/", "scheme"],
  ])("to %s are refused (%s)", async (location, reason) => {
    await using server = await serve(redirecting(302, () => location));
    await expect(outbound.request(call(server))).rejects.toMatchObject({ reason });
    expect(server.requests).toHaveLength(1);
  });
});
