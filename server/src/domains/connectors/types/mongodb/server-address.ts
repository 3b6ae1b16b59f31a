/** The address of a server. */
export interface MongoServer {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 27_017;
const PORT_MAX = 65_535;

/** Parses a server address in the MongoDB form `host:port`. */
export function parseServer(text: string): MongoServer | undefined {
  const [, host, port] = /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(text) ?? [];
  const place = { host: host ?? "", port: Number(port ?? DEFAULT_PORT) };
  return host === undefined || place.port < 1 || place.port > PORT_MAX ? undefined : place;
}

/** Returns whether two addresses are the same server: host names are case-insensitive. */
export function isSameServer(one: MongoServer, other: MongoServer): boolean {
  return one.host.toLowerCase() === other.host.toLowerCase() && one.port === other.port;
}
