import fc from "fast-check";
import { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { isInCidr, isPublic, parseCidr } from "./ssrf-guard.ts";

function within(address: string, text: string): boolean {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`not a CIDR: ${text}`);
  return isInCidr(address, cidr);
}

describe("parseCidr", () => {
  test.each([
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "010.0.0.0/8",
    " 10.0.0.0/8",
    "10.0.0.0/8 ",
    "0x0a.0.0.0/8",
    "::/129",
    ":::/8",
    "fe80::1%eth0/64",
    "localhost",
    "10.0.0.0-10.0.0.9",
  ])("rejects %j", (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  test.each([
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["10.200.0.1", "10.1.2.3/8", true],
    ["1.2.3.4", "1.2.3.4", true],
    ["1.2.3.5", "1.2.3.4", false],
    ["1.2.3.4", "0.0.0.0/0", true],
    ["100.127.255.255", "100.64.0.0/10", true],
    ["100.128.0.0", "100.64.0.0/10", false],
    ["fd12::1", "fc00::/7", true],
    ["fe00::1", "fc00::/7", false],
    ["2001:db8::1", "2001:DB8:0:0:0:0:0:1", true],
    ["::", "::/0", true],
    ["fe80::1%eth0", "fe80::/10", true],
    // A mapped address equals its IPv4 address, in both positions.
    ["::ffff:10.0.0.1", "10.0.0.0/8", true],
    ["::ffff:a00:1", "10.0.0.0/8", true],
    ["10.0.0.1", "::ffff:10.0.0.0/104", true],
    ["11.0.0.1", "::ffff:10.0.0.0/104", false],
    // Otherwise the address families never match each other.
    ["10.0.0.1", "::/0", false],
    ["::ffff:10.0.0.1", "::/0", false],
    ["::1", "0.0.0.0/0", false],
    ["::a00:1", "10.0.0.0/8", false],
    ["nonsense", "0.0.0.0/0", false],
    ["", "::/0", false],
  ])("%s in %s: %s", (address, cidr, expected) => {
    expect(within(address, cidr)).toBe(expected);
  });

  test("agrees with Node's BlockList", () => {
    const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }));
    const v6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 0, max: 128 }));
    fc.assert(
      fc.property(fc.oneof(v4, v6), fc.boolean(), ([network, other, prefix], near) => {
        const family = network.includes(":") ? "ipv6" : "ipv4";
        // Two random addresses rarely share a prefix, so a similar one tests the prefix length.
        const address = near ? network : other;
        const list = new BlockList();
        list.addSubnet(network, prefix, family);
        expect(within(address, `${network}/${prefix}`)).toBe(list.check(address, family));
      }),
    );
  });
});

describe("isPublic", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
  ])("%s is public", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  test.each([
    "",
    "localhost",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:8.8.8.8",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:2::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "febf::1",
    "fec0::1",
    "ff02::1",
  ])("%s is not public", (address) => {
    expect(isPublic(address)).toBe(false);
  });
});
