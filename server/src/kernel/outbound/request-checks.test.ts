import { afterAll, describe, expect, test } from "vitest";
import { Outbound, OutboundRefused } from "./outbound.ts";

/** Names that an attacker points at internal addresses. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ["127.0.0.1", "::1"],
  "loopback.attacker.test": ["127.0.0.1"],
  "loopback6.attacker.test": ["::1"],
  "mapped.attacker.test": ["::ffff:169.254.169.254"],
  "metadata.google.internal": ["169.254.169.254"],
  "mixed.attacker.test": ["93.184.215.14", "10.0.0.1"],
  "mixed-last.attacker.test": ["2606:4700:4700::1111", "93.184.215.14", "fd00::1"],
  "xn--bcher-kva.attacker.test": ["192.168.1.1"],
  "zone.attacker.test": ["fe80::1%eth0"],
  "nonsense.attacker.test": ["not an address"],
};

const outbound = new Outbound({
  allow: [],
  lookup: async (hostname) => NAMES[hostname] ?? [],
});
afterAll(() => outbound.close());

async function refusal(url: string, allowHttp: boolean): Promise<OutboundRefused> {
  const call = outbound.request({
    method: "POST",
    url,
    allowHttp,
    timeoutMs: 5000,
    maxResponseBytes: 0,
  });
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof OutboundRefused) return error;
  throw new Error(`${url} was not refused`, { cause: error });
}

describe("hostile URLs are refused", () => {
  test.each([
    // Loopback, in every spelling that a URL parser accepts.
    ["http://127.0.0.1/", "address"],
    ["http://127.1/", "address"],
    ["http://127.0.0.1./", "address"],
    ["http://2130706433/", "address"],
    ["http://017700000001/", "address"],
    ["http://0177.0.0.1/", "address"],
    ["http://0x7f.0.0.1/", "address"],
    ["http://0x7f000001/", "address"],
    ["http://0x7f.1/", "address"],
    ["http://%31%32%37.0.0.1/", "address"],
    ["http://１２７.０.０.１/", "address"],
    ["http://127。0。0。1/", "address"],
    ["http://①②⑦.0.0.1/", "address"],
    ["http://0/", "address"],
    ["http://0.0.0.0:8080/", "address"],
    ["http://[::1]/", "address"],
    ["http://[::]/", "address"],
    ["http://[0:0:0:0:0:0:0:1]:443/", "address"],
    ["http://[::ffff:127.0.0.1]/", "address"],
    ["http://[::ffff:7f00:1]/", "address"],
    ["http://[::127.0.0.1]/", "address"],
    ["http://[64:ff9b::7f00:1]/", "address"],
    ["http://[2002:7f00:1::]/", "address"],
    ["http://[2001:0:7f00:1::]/", "address"],
    // Internal networks, metadata services and other non-public addresses.
    ["https://10.0.0.1/", "address"],
    ["https://172.16.0.1/", "address"],
    ["https://192.168.0.1:8443/", "address"],
    ["https://100.64.0.1/", "address"],
    ["http://169.254.169.254/latest/meta-data/", "address"],
    ["http://2852039166/", "address"],
    ["http://0xa9fea9fe/", "address"],
    ["http://0251.0376.0251.0376/", "address"],
    ["http://[fd00:ec2::254]/", "address"],
    ["http://[::ffff:a9fe:a9fe]/", "address"],
    ["http://100.100.100.200/", "address"],
    ["http://168.63.129.16/", "address"],
    ["https://[fe80::1]/", "address"],
    ["https://[fec0::1]/", "address"],
    ["https://[ff02::1]/", "address"],
    ["https://224.0.0.1/", "address"],
    ["https://255.255.255.255/", "address"],
    ["https://198.18.0.1/", "address"],
    ["https://203.0.113.7/", "address"],
    // Names with at least one such address.
    ["http://localhost/", "address"],
    ["http://LOCALHOST/", "address"],
    ["https://loopback.attacker.test/", "address"],
    ["https://loopback6.attacker.test/", "address"],
    ["https://mapped.attacker.test/", "address"],
    ["http://metadata.google.internal/computeMetadata/v1/", "address"],
    ["https://mixed.attacker.test/", "address"],
    ["https://mixed-last.attacker.test/", "address"],
    ["https://bücher.attacker.test/", "address"],
    ["https://zone.attacker.test/", "address"],
    ["https://nonsense.attacker.test/", "address"],
    // Forms that parsers interpret differently, or with credentials.
    ["https://user:password@example.com/", "url"],
    ["https://user@example.com/", "url"],
    ["https://@example.com/", "url"],
    ["https://example.com@127.0.0.1/", "url"],
    ["https://example.com:443@127.0.0.1/", "url"],
    ["https://localhost./", "url"],
    ["https://example.com./", "url"],
    ["https://[fe80::1%25eth0]/", "url"],
    ["https://[fe80::1%eth0]/", "url"],
    ["https://[::1/", "url"],
    ["https://256.1.1.1/", "url"],
    ["https://1.2.3.4.5/", "url"],
    ["https:///example.com/", "url"],
    ["https:example.com", "url"],
    ["https:/example.com", "url"],
    ["https://", "url"],
    ["https://?", "url"],
    ["https://:443/", "url"],
    ["https://example.com:0/", "url"],
    ["https://example.com:65536/", "url"],
    ["https:\\\\example.com\\", "url"],
    ["https://example.com\\@127.0.0.1/", "url"],
    ["https://exam\nple.com/", "url"],
    ["https://example.com/\r\nHost: inner", "url"],
    ["https://example.com/a b", "url"],
    [" https://example.com/", "url"],
    ["https://example.com/\u0000", "url"],
    ["https://a＠b/", "url"],
    [`https://example.com/${"a".repeat(9000)}`, "url"],
    ["//example.com/", "url"],
    ["example.com", "url"],
    ["", "url"],
    // Other schemes.
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["gopher://127.0.0.1:6379/_FLUSHALL", "scheme"],
    ["data:text/plain,hello", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["ws://example.com/", "scheme"],
    ["unix:/var/run/docker.sock", "scheme"],
  ])("%j (%s)", async (url, reason) => {
    // http is allowed so that the scheme is not the reason.
    expect((await refusal(url, true)).reason).toBe(reason);
  });

  test("rejects plain http unless allowed", async () => {
    expect((await refusal("http://example.com/", false)).reason).toBe("scheme");
    expect(outbound.check({ url: "http://example.com/", allowHttp: true }).host).toBe(
      "example.com",
    );
  });

  test("checks a URL without a call", () => {
    expect(outbound.check({ url: "https://example.com:8443/hook?a=1" }).port).toBe("8443");
    expect(outbound.check({ url: "https://[2606:4700::1111]/" }).host).toBe("[2606:4700::1111]");
    expect(() => outbound.check({ url: "https://10.0.0.1/" })).toThrow(OutboundRefused);
  });
});

describe("refuses invalid methods and headers", () => {
  const send = async (method: string, headers: Record<string, string>): Promise<unknown> =>
    outbound
      .request({ method, url: "https://a.test", headers, timeoutMs: 5000, maxResponseBytes: 0 })
      .catch((error: unknown) => error);

  test.each(["", "CONNECT", "connect", "TRACE", "GET /", "GET\r\nX: y", "GÉT"])(
    "method %j",
    async (method) => {
      expect(await send(method, {})).toMatchObject({ reason: "method" });
    },
  );

  test.each([
    ["Host", "inner.test"],
    ["Content-Length", "3"],
    ["transfer-encoding", "chunked"],
    ["Connection", "upgrade"],
    ["Upgrade", "h2c"],
    ["Proxy-Authorization", "Basic c2VjcmV0"],
    ["", "value"],
    ["a b", "value"],
    ["X\r\nInjected", "value"],
    ["X-Value", "secret\r\nInjected: 1"],
    ["X-Value", "secret\u0000"],
    ["X-Value", "secret → out"],
  ])("header %j: %j", async (name, value) => {
    const error = await send("POST", { [name]: value });
    expect(error).toMatchObject({ reason: "header" });
    expect(String(error)).not.toMatch(/secret|c2VjcmV0|Injected/);
  });
});
