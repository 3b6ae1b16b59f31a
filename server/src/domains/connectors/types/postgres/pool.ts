import pg from "pg";
import type { PlatformServices } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import type { PostgresConfig } from "./config.ts";

const INT8 = 20;
/** Booleans, numbers that fit, JSON, and lists of these and of texts. */
const MEANINGFUL = new Set([
  16, 21, 23, 26, 114, 700, 701, 3802, 199, 1000, 1005, 1007, 1009, 1014, 1015, 1021, 1022, 2951,
  3807,
]);

/** Converts values to JSON; types without a JSON form use the text of PostgreSQL. */
const columnParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return safeInteger;
    return MEANINGFUL.has(oid) ? pg.types.getTypeParser(oid, format ?? "text") : asText;
  }) as typeof pg.types.getTypeParser,
};

/** A number that JSON readers would round stays a text. */
function safeInteger(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function asText(value: string): string {
  return value;
}

const POOLS_MAX = 50;
const IDLE_MS = 10_000;

/** The pools of this process by connector and credentials, the least recently used first. */
type Pools = Map<string, pg.Pool>;
const pools = new WeakMap<PlatformServices, Pools>();

/** The connection pool of a connector's database. A changed connector or secret gets a new pool. */
export function poolOf(connection: UpstreamConnection<PostgresConfig>): pg.Pool {
  const all = poolsOf(connection.platform);
  const { connector, config, auth } = connection;
  const credentials = sha256(JSON.stringify([config, auth])).toString("base64url");
  const key = `${connector.id} ${connector.revision} ${credentials}`;
  const existing = all.get(key);
  const pool = existing ?? openPool(connection);
  all.delete(key);
  all.set(key, pool);
  const [oldest] = all.keys();
  if (all.size > POOLS_MAX && oldest !== undefined) {
    void all.get(oldest)?.end();
    all.delete(oldest);
  }
  return pool;
}

/** The pools are closed when the process shuts down. */
function poolsOf(services: PlatformServices): Pools {
  const existing = pools.get(services);
  if (existing) return existing;
  const all: Pools = new Map();
  pools.set(services, all);
  services.shutdown.addEventListener(
    "abort",
    () => {
      for (const pool of all.values()) void pool.end();
      all.clear();
    },
    { once: true },
  );
  return all;
}

function openPool({ platform, config, auth }: UpstreamConnection<PostgresConfig>): pg.Pool {
  const { host, port, database, maxConnections, timeoutMs } = config;
  const { username = "", password = "" } = auth.kind === "basic" ? auth : {};
  const pool = new pg.Pool({
    host,
    port,
    database,
    user: username,
    // A function, because with an empty string the driver would use the password of the process environment.
    password: () => password,
    ssl: toTlsOptions(platform, config),
    stream: () => platform.outbound.socket(),
    types: columnParsers,
    application_name: "millrace",
    max: maxConnections,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: timeoutMs,
    allowExitOnIdle: true,
  });
  // A connection that breaks while idle is replaced on next use.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

function toTlsOptions({ outbound }: PlatformServices, { sslMode, caCertificate }: PostgresConfig) {
  if (sslMode === "disable") return false;
  const { secureContext } = outbound;
  return {
    rejectUnauthorized: sslMode === "verify-full",
    ...(caCertificate !== undefined && { ca: caCertificate }),
    ...(caCertificate === undefined && secureContext && { secureContext }),
  };
}
