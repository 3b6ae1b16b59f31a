import { afterEach, describe, expect, test, vi } from "vitest";
import { Outbound, OutboundRefused, type OutboundRequest } from "./outbound.ts";
import { connectionReturned, serve } from "./testing/server.ts";

afterEach(() => vi.unstubAllEnvs());

function call({ url }: Pick<OutboundRequest, "url">): OutboundRequest {
  return { method: "GET", url, allowHttp: true, timeoutMs: 10_000, maxResponseBytes: 1024 };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("the call succeeded"),
    (error: unknown) => error,
  );
}

const text = (body: Uint8Array): string => Buffer.from(body).toString();

describe("the address check", () => {
  test("connects to the address that it checked, with one lookup per connection", async () => {
    const asked: string[] = [];
    const lookup = async (hostname: string): Promise<readonly string[]> => {
      asked.push(hostname);
      return asked.length === 1 ? ["127.0.0.1"] : ["10.0.0.1"];
    };
    const client = new Outbound({ allow: ["127.0.0.1/32"], lookup });
    await using server = await serve((request, response) => {
      response.setHeader("connection", request.url === "/last" ? "close" : "keep-alive");
      response.end(request.headers.host);
    });
    const url = `http://rebind.attacker.test:${server.port}`;
    const first = await client.request(call({ url: `${url}/` }));
    expect(text(first.body)).toBe(`rebind.attacker.test:${server.port}`);
    await connectionReturned();
    await client.request(call({ url: `${url}/last` }));
    expect(asked).toEqual(["rebind.attacker.test"]);
    const error = await failureOf(client.request(call({ url: `${url}/again` })));
    expect(error).toBeInstanceOf(OutboundRefused);
    expect(error).toMatchObject({ reason: "address" });
    expect(server.requests).toHaveLength(2);
    await client.close();
  });

  test("rejects loopback servers by IP address and host name", async () => {
    const strict = new Outbound({ allow: ["10.0.0.0/8"], lookup: async () => ["127.0.0.1"] });
    await using server = await serve((_request, response) => response.end());
    for (const host of ["127.0.0.1", "localhost", "inner.attacker.test"]) {
      const url = `http://${host}:${server.port}/`;
      expect(await failureOf(strict.request(call({ url })))).toMatchObject({
        reason: "address",
      });
    }
    expect(server.connections).toBe(0);
    await strict.close();
  });

  test("ignores a proxy in the environment", async () => {
    await using proxy = await serve((_request, response) => response.end("proxied"));
    await using server = await serve((_request, response) => response.end("direct"));
    vi.stubEnv("http_proxy", `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${proxy.port}`);
    const client = new Outbound({ allow: ["127.0.0.1"] });
    expect(
      text((await client.request(call({ url: `http://127.0.0.1:${server.port}/` }))).body),
    ).toBe("direct");
    await client.close();
  });

  test("accepts only CIDRs in its configuration", () => {
    expect(() => new Outbound({ allow: ["localhost"] })).toThrow("Not a CIDR: localhost");
  });
});
