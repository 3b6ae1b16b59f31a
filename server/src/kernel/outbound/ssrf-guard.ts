/**
 * The rules of the SSRF guard: IP addresses and ranges, as pure functions.
 *
 * An address is stored as its bytes in network order, 4 for IPv4 and 16 for IPv6. A v4-mapped address
 * (`::ffff:10.0.0.1`) is parsed as its IPv4 address: a dual-stack socket reports IPv4 peers in this form, and a
 * rule for `10.0.0.0/8` must apply to both spellings. Otherwise the families never match each other: `::/0`
 * contains no IPv4 addresses.
 */
import { isIPv4, isIPv6 } from "node:net";

/** A range of addresses. Bits of `bytes` after `prefixBits` are ignored. */
export interface Cidr {
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

/**
 * Parses `10.0.0.0/8`, `fd00::/8` or a single address. Host bits are allowed (`10.1.2.3/8` is `10.0.0.0/8`).
 * Returns undefined for other texts, so that the caller can name the invalid setting.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, host, prefix] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  if (host === undefined) return undefined;
  const parsed = readBytes(host);
  if (parsed === undefined) return undefined;
  const bitsMax = parsed.length * 8;
  const prefixBits = prefix === undefined ? bitsMax : Number(prefix);
  if (prefixBits > bitsMax) return undefined;
  // `::ffff:10.0.0.0/104` is `10.0.0.0/8`. With fewer than 96 bits it includes more than mapped addresses, so
  // it stays an IPv6 range; mapped addresses, which are parsed as IPv4, are then outside of it.
  const bytes = prefixBits >= MAPPED_BITS ? unmapAddress(parsed) : parsed;
  return { bytes, prefixBits: prefixBits - (parsed.length - bytes.length) * 8 };
}

/** True if the address is in the range. Invalid addresses are in no range. */
export function isInCidr(address: string, cidr: Cidr): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && contains(cidr, bytes);
}

/** True if the inner range is completely in the outer one. */
export function includesCidr(outer: Cidr, inner: Cidr): boolean {
  return inner.prefixBits >= outer.prefixBits && contains(outer, inner.bytes);
}

/**
 * Normalises an address to its client: an IPv4 address, or the /64 of an IPv6 address because one client
 * usually has the whole range.
 */
export function classifyAddress(address: string): string {
  const bytes = parseAddress(address);
  if (bytes === undefined) return address;
  return bytes.length === 4
    ? bytes.join(".")
    : `${Buffer.from(bytes.subarray(0, 8)).toString("hex")}/64`;
}

/**
 * True for an address of the public internet: not this host, its networks, its cloud, or a reserved range.
 * Invalid addresses are not public.
 */
export function isPublic(address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return !NOT_PUBLIC_V4.some((cidr) => contains(cidr, bytes));
  // On an IPv6-only network, DNS64 maps every IPv4 address to this range, so the IPv4 address is checked.
  if (contains(NAT64, bytes)) return isPublic(bytes.subarray(12).join("."));
  return contains(GLOBAL_V6, bytes) && !NOT_PUBLIC_V6.some((cidr) => contains(cidr, bytes));
}

const MAPPED_BITS = 96;
const MAPPED = "0,0,0,0,0,0,0,0,0,0,255,255";

// The special-purpose registries (RFC 6890 and successors), the 6to4 anycast relay, multicast, and Azure's
// metadata service, which has a public address.
const NOT_PUBLIC_V4 = parseCidrs(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);

// Only global unicast is public, except protocol assignments (Teredo, ORCHID, benchmarks), documentation, and
// 6to4. The tunnels embed IPv4 addresses, including private ones, and are obsolete, so they are always refused.
const [GLOBAL_V6, NAT64] = [requireCidr("2000::/3"), requireCidr("64:ff9b::/96")];
const NOT_PUBLIC_V6 = parseCidrs("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

function parseCidrs(...cidrs: readonly string[]): readonly Cidr[] {
  return cidrs.map(requireCidr);
}

function requireCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`Not a CIDR: ${text}`);
  return cidr;
}

function contains(cidr: Cidr, address: Uint8Array): boolean {
  if (cidr.bytes.length !== address.length) return false;
  const wholeBytes = cidr.prefixBits >> 3;
  for (let index = 0; index < wholeBytes; index += 1) {
    if (cidr.bytes[index] !== address[index]) return false;
  }
  const restBits = cidr.prefixBits & 7;
  if (restBits === 0) return true;
  return ((cidr.bytes[wholeBytes] ?? 0) ^ (address[wholeBytes] ?? 0)) >> (8 - restBits) === 0;
}

function parseAddress(text: string): Uint8Array | undefined {
  const bytes = readBytes(text);
  return bytes === undefined ? undefined : unmapAddress(bytes);
}

function unmapAddress(bytes: Uint8Array): Uint8Array {
  const mapped = bytes.length === 16 && bytes.subarray(0, 12).join() === MAPPED;
  return mapped ? bytes.subarray(12) : bytes;
}

function readBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split("."), Number);
  // A zone (`fe80::1%eth0`) names a local interface and does not change the range.
  return isIPv6(text) ? readV6(text.replace(/%.*$/, "")) : undefined;
}

/** Expands an address whose syntax `isIPv6` has accepted. */
function readV6(text: string): Uint8Array {
  const [head = "", tail] = text.split("::");
  const before = groupBytes(head);
  const after = groupBytes(tail ?? "");
  const bytes = new Uint8Array(16);
  bytes.set(before);
  bytes.set(after, 16 - after.length);
  return bytes;
}

function groupBytes(groups: string): readonly number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
