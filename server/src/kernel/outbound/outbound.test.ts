import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { Outbound, OutboundFailed, type OutboundRequest } from "./outbound.ts";
import { connectionReturned, serve, type Loopback } from "./testing/server.ts";

const outbound = new Outbound({ allow: ["127.0.0.0/8"] });
afterAll(() => outbound.close());

function call(server: Loopback, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: "GET",
    url: `http://127.0.0.1:${server.port}/hook`,
    allowHttp: true,
    timeoutMs: 10_000,
    maxResponseBytes: 1024,
    ...more,
  };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("the call succeeded"),
    (error: unknown) => error,
  );
}

const text = (body: Uint8Array): string => Buffer.from(body).toString();

describe("a call", () => {
  test("sends method, path, headers and body unchanged, and returns any status", async () => {
    const received: string[] = [];
    await using server = await serve((request, response) => {
      request.setEncoding("utf8").on("data", (chunk: string) => received.push(chunk));
      request.on("end", () => {
        response.writeHead(418, { "X-Answer": "yes", "Set-Cookie": ["a=1", "b=2"] });
        response.end("teapot");
      });
    });
    const answer = await outbound.request(
      call(server, {
        method: "POST",
        url: `http://127.0.0.1:${server.port}/a/b?c=d#fragment`,
        headers: { "X-Service-Event": "incident.created" },
        body: Buffer.from("{}"),
      }),
    );
    expect(answer).toMatchObject({ status: 418, truncated: false });
    expect(answer.headers).toMatchObject({ "x-answer": "yes", "set-cookie": "a=1, b=2" });
    expect(text(answer.body)).toBe("teapot");
    expect(answer.durationMs).toBeGreaterThan(0);
    expect(received.join("")).toBe("{}");
    const [request] = server.requests;
    expect(request?.url).toBe("/a/b?c=d");
    expect(request?.rawHeaders).toEqual(
      expect.arrayContaining(["X-Service-Event", "incident.created"]),
    );
    expect(request?.headers["content-length"]).toBe("2");
  });

  test("reuses its connection", async () => {
    await using server = await serve((_request, response) => response.end("ok"));
    for (let count = 0; count < 20; count += 1) {
      await outbound.request(call(server));
      await connectionReturned();
    }
    expect(server.requests).toHaveLength(20);
    expect(server.connections).toBe(1);
  });

  test("does not wait for hanging calls to the same origin", async () => {
    const hanging: ServerResponse[] = [];
    const hung = Promise.withResolvers<void>();
    await using server = await serve((request, response) => {
      if (request.url === "/fast") return response.end("ok");
      if (hanging.push(response) === 50) hung.resolve();
      return response;
    });
    const stop = new AbortController();
    const slow = Array.from({ length: 50 }, () =>
      failureOf(outbound.request(call(server, { signal: stop.signal }))),
    );
    await hung.promise;
    const url = `http://127.0.0.1:${server.port}/fast`;
    expect((await outbound.request(call(server, { url }))).status).toBe(200);
    stop.abort();
    for (const error of await Promise.all(slow)) expect(error).toMatchObject({ kind: "aborted" });
  });
});

describe("the size limit", () => {
  test("keeps a body of exactly the maximum size, and the connection", async () => {
    await using server = await serve((_request, response) => response.end("x".repeat(1024)));
    for (let count = 0; count < 3; count += 1) {
      const answer = await outbound.request(call(server));
      expect(answer.body).toHaveLength(1024);
      expect(answer.truncated).toBe(false);
      await connectionReturned();
    }
    expect(server.connections).toBe(1);
  });

  test.each([0, 1, 1000, 1024])(
    "keeps %i bytes of an endless body and closes the connection",
    async (limit) => {
      const closed = Promise.withResolvers<void>();
      await using server = await serve((_request, response) => {
        const chunk = "0123456789".repeat(1000);
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", write).on("close", closed.resolve);
        write();
      });
      const answer = await outbound.request(call(server, { maxResponseBytes: limit }));
      expect(answer).toMatchObject({ status: 200, truncated: true });
      expect(text(answer.body)).toBe("0123456789".repeat(103).slice(0, limit));
      await closed.promise;
    },
  );

  test("counts compressed bytes and never decompresses them", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const whole = await outbound.request(call(server, { maxResponseBytes: 100_000 }));
    expect(Buffer.compare(whole.body, bomb)).toBe(0);
    const cut = await outbound.request(call(server, { maxResponseBytes: 100 }));
    expect(cut.truncated).toBe(true);
    expect(Buffer.compare(cut.body, bomb.subarray(0, 100))).toBe(0);
  });

  test("limits the number of response headers", async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "x-flood": "x".repeat(100_000) }).end();
    });
    const error = await failureOf(outbound.request(call(server)));
    expect(error).toMatchObject({ kind: "protocol" });
  });
});

describe("the time limit", () => {
  test("ends a call without response headers, and closes its connection", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((_request, response) => response.on("close", closed.resolve));
    const error = await failureOf(outbound.request(call(server, { timeoutMs: 500 })));
    expect(error).toBeInstanceOf(OutboundFailed);
    expect(error).toMatchObject({ kind: "timeout" });
    await closed.promise;
  });

  test("ends a call whose body arrives slowly and never ends", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((_request, response) => {
      const drip = setInterval(() => response.write("x"), 5);
      response.on("close", () => {
        clearInterval(drip);
        closed.resolve();
      });
    });
    const error = await failureOf(outbound.request(call(server, { timeoutMs: 500 })));
    expect(error).toMatchObject({ kind: "timeout" });
    await closed.promise;
  });

  test("ends a call whose name lookup hangs, and sends nothing when the lookup completes", async () => {
    const lookup = Promise.withResolvers<readonly string[]>();
    const slow = new Outbound({ allow: ["127.0.0.1"], lookup: () => lookup.promise });
    await using server = await serve((_request, response) => response.end("ok"));
    const url = `http://slow.test:${server.port}`;
    const late = call(server, { url: `${url}/late`, timeoutMs: 50 });
    expect(await failureOf(slow.request(late))).toMatchObject({ kind: "timeout" });
    lookup.resolve(["127.0.0.1"]);
    await slow.request(call(server, { url: `${url}/next` }));
    expect(server.requests.map((request) => request.url)).toEqual(["/next"]);
    await slow.close();
  });

  test("limits the connection separately", async () => {
    const hanging = new Promise<never>(() => undefined);
    const slow = new Outbound({ allow: [], connectTimeoutMs: 50, lookup: () => hanging });
    const request = { method: "GET", url: "https://slow.test", maxResponseBytes: 0 };
    expect(await failureOf(slow.request({ ...request, timeoutMs: 10_000 }))).toMatchObject({
      kind: "timeout",
    });
    await slow.close();
  });
});

describe("cancelling", () => {
  test("ends a running call immediately", async () => {
    const stop = new AbortController();
    await using server = await serve((_request, response) => {
      response.write("beginning");
      setImmediate(() => stop.abort());
    });
    const error = await failureOf(outbound.request(call(server, { signal: stop.signal })));
    expect(error).toMatchObject({ kind: "aborted" });
  });

  test("before the call prevents the connection", async () => {
    const asked: string[] = [];
    const lookup = async (hostname: string): Promise<readonly string[]> => {
      asked.push(hostname);
      return [];
    };
    const client = new Outbound({ allow: [], lookup });
    const request = { method: "GET", timeoutMs: 10_000, maxResponseBytes: 0 };
    const signal = AbortSignal.abort();
    const error = await failureOf(client.request({ ...request, url: "https://a.test", signal }));
    expect(error).toMatchObject({ kind: "aborted" });
    await failureOf(client.request({ ...request, url: "https://b.test" }));
    expect(asked).toEqual(["b.test"]);
    await client.close();
  });

  test("by closing the client fails running and later calls", async () => {
    const client = new Outbound({ allow: ["127.0.0.1"] });
    const arrived = Promise.withResolvers<void>();
    await using server = await serve(() => arrived.resolve());
    const running = failureOf(client.request(call(server)));
    await arrived.promise;
    await client.close();
    expect(await running).toMatchObject({ kind: "closed" });
    expect(await failureOf(client.request(call(server)))).toMatchObject({ kind: "closed" });
  });
});

test("errors include a kind and do not include secrets", async () => {
  const names = new Outbound({ allow: ["127.0.0.1"], lookup: async () => [] });
  await using server = await serve((request) => {
    request.socket.end("HTTP/1.1 200 OK\r\nBad Header: token-secret\r\n\r\n");
  });
  await using gone = await serve((request) => request.socket.destroy());
  await using silent = await serve(() => undefined);
  const dead = await serve(() => undefined);
  await dead[Symbol.asyncDispose]();
  const secret = (to: Loopback, host = "127.0.0.1"): OutboundRequest =>
    call(to, {
      method: "POST",
      url: `http://${host}:${to.port}/path-secret?key=query-secret`,
      headers: { authorization: "Bearer token-secret" },
      body: "body-secret",
      timeoutMs: to === silent ? 50 : 10_000,
    });
  const failures = [
    ["protocol", outbound, secret(server)],
    ["network", outbound, secret(gone)],
    ["network", outbound, secret(dead)],
    ["timeout", outbound, secret(silent)],
    ["dns", names, secret(server, "missing.test")],
  ] as const;
  for (const [kind, client, request] of failures) {
    const error = await failureOf(client.request(request));
    expect(error).toMatchObject({ name: "OutboundFailed", kind });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("-secret");
  }
  await names.close();
});

test("a server that disconnects during the body is a failure, not a short response", async () => {
  await using server = await serve((request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("beginning");
    setImmediate(() => request.socket.destroy());
  });
  expect(await failureOf(outbound.request(call(server)))).toMatchObject({ kind: "network" });
});
