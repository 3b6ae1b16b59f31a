/**
 * Opens connections to permitted addresses only: the SSRF guard at connect time.
 *
 * A check of the URL before the call is useless: the name can resolve to another address a moment later (DNS
 * rebinding). So the check is part of the connection's name lookup. The socket gets the checked addresses
 * without another lookup. A name with a forbidden address is refused completely, because repeated calls would
 * eventually use the forbidden one.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { OutboundRefused } from "./error.ts";
import { literalAddress } from "./request-checks.ts";

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface ConnectorOptions {
  readonly permits: (address: string) => boolean;
  readonly lookup: Lookup;
  readonly secureContext: SecureContext | undefined;
  readonly connectTimeoutMs: number;
}

/** A connector for undici's dispatchers that connects to permitted addresses only. */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    // One request per connection at a time: an oversized or late response can then be stopped by closing its
    // connection without affecting other requests.
    allowH2: false,
    autoSelectFamily: true,
    lookup: guardedLookup(options),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
    rejectUnauthorized: true,
    timeout: options.connectTimeoutMs,
    ...(options.secureContext === undefined ? {} : { secureContext: options.secureContext }),
  });
  return (target, callback) => {
    // Node connects to a literal address without a lookup, so it is checked here.
    const literal = literalAddress(target.hostname);
    if (literal === undefined || options.permits(literal)) connect(target, callback);
    else queueMicrotask(() => callback(refusedAddress(target.hostname), null));
  };
}

/** The name lookup of the operating system: its hosts file and its resolvers. */
export async function lookupBySystem(hostname: string): Promise<readonly string[]> {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
}

/** The message omits the address, because it would reveal names of an internal network. */
export function refusedAddress(hostname: string): OutboundRefused {
  return new OutboundRefused(
    "address",
    `The address of ${hostname} is not public, and MILLRACE_OUTBOUND_ALLOW does not allow calls to it.`,
  );
}

/** A name lookup for sockets. Fails unless all addresses are permitted. */
export function guardedLookup({
  permits,
  lookup,
}: Pick<ConnectorOptions, "permits" | "lookup">): LookupFunction {
  const lookupPermitted = callbackify(async (hostname: string) => {
    const addresses = await lookup(hostname);
    if (addresses.length === 0) throw hostNotFound(hostname);
    if (!addresses.every(permits)) throw refusedAddress(hostname);
    return addresses.map(withFamily);
  });
  // With autoSelectFamily, Node always requests the list of all addresses.
  return (hostname, _options, callback) => {
    lookupPermitted(hostname, (error, addresses) => callback(error, addresses));
  };
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) };
}

function hostNotFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
}
