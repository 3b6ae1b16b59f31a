import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { Outbound, type OutboundOptions } from "./outbound.ts";
import { connectionReturned, serveTls, TEST_CA_PEM, type Loopback } from "./testing/server.ts";

const lookup = async (): Promise<readonly string[]> => ["127.0.0.1"];
const clients: Outbound[] = [];
afterEach(() => vi.unstubAllEnvs());
afterAll(() => Promise.all(clients.map((client) => client.close())));

function client(more: Partial<OutboundOptions>): Outbound {
  const made = new Outbound({ allow: ["127.0.0.1"], lookup, ...more });
  clients.push(made);
  return made;
}

async function get(outbound: Outbound, server: Loopback, host: string): Promise<string> {
  const url = `https://${host}:${server.port}/`;
  const request = { method: "GET", url, timeoutMs: 10_000, maxResponseBytes: 1024 };
  return Buffer.from((await outbound.request(request)).body).toString();
}

describe("TLS", () => {
  test("trusts the extra CA, by name and by address", async () => {
    await using server = await serveTls((request, response) => response.end(request.headers.host));
    const outbound = client({ extraCaPem: `# ours\n${TEST_CA_PEM}\n` });
    for (const host of ["hooks.example.test", "127.0.0.1"]) {
      for (let count = 0; count < 3; count += 1) {
        expect(await get(outbound, server, host)).toBe(`${host}:${server.port}`);
        await connectionReturned();
      }
    }
    expect(server.connections).toBe(2);
  });

  test("refuses an unknown CA, also if the environment disables verification", async () => {
    await using server = await serveTls((_request, response) => response.end());
    await expect(get(client({}), server, "hooks.example.test")).rejects.toMatchObject({
      kind: "tls",
    });
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const refused = get(client({}), server, "hooks.example.test");
    await expect(refused).rejects.toMatchObject({ kind: "tls" });
    expect(server.requests).toHaveLength(0);
  });

  test("refuses a certificate for another name", async () => {
    await using server = await serveTls((_request, response) => response.end());
    const outbound = client({ extraCaPem: TEST_CA_PEM });
    await expect(get(outbound, server, "other.example.test")).rejects.toMatchObject({
      kind: "tls",
    });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ["", "no PEM certificate"],
    ["nonsense", "no PEM certificate"],
    [TEST_CA_PEM.replace("MII", "xxx"), ""],
  ])("an unreadable CA file is an error at start", (extraCaPem, message) => {
    expect(() => client({ extraCaPem })).toThrow(message);
  });
});
