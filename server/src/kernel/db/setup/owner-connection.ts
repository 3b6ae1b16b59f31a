import pg from "pg";
import { parse } from "pg-connection-string";
import { StartupError } from "../../startup-error.ts";

/** The advisory lock for changes of schema or roles. An arbitrary constant. */
export const SETUP_LOCK = 0x6d696c6c;

const CONNECT_LIMIT_MS = 15_000;

/** Runs work on one connection and closes it. */
export async function withOwnerClient<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_LIMIT_MS, ...config });
  await client.connect().catch((error: unknown) => {
    throw toConnectError(error, config);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** True if the database already contains an installation. */
export function isInstalled(owner: pg.ClientConfig): Promise<boolean> {
  return withOwnerClient(owner, async (client) => {
    const { rows } = await client.query<{ there: boolean }>(
      "select to_regclass('installation') is not null as there",
    );
    return rows[0]?.there === true;
  });
}

/** Parses a connection URL into its parts. */
export function parseConnectionUrl(url: string): pg.ClientConfig {
  const { host, port, user, password, database, ssl } = parse(url);
  return {
    ...(host && { host }),
    ...(port && { port: Number(port) }),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    ...(ssl !== undefined && { ssl: ssl as boolean }),
  };
}

/** Explains a connection error for operators without the password. Other errors are returned unchanged. */
function toConnectError(error: unknown, { host, port, user, database }: pg.ClientConfig): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const why = error.message.startsWith("timeout ")
    ? "the server does not respond"
    : CONNECT_FAULTS[code];
  if (why === undefined) return error;
  const place = `${host ?? "localhost"}${host?.startsWith("/") ? "" : `:${port ?? 5432}`}`;
  const name = `${database ?? ""}${user === undefined ? "" : ` as ${user}`}`;
  return new StartupError(
    `Can't open the database ${name} at ${place}: ${why}. Check DATABASE_URL.`.replace(
      "database  ",
      "database ",
    ),
    { cause: error },
  );
}

const CONNECT_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOENT: "the socket does not exist",
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name can't be resolved",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "the server does not respond",
  EACCES: "this account can't access the socket",
  "28P01": "the password is wrong",
  "28000": "the user is not allowed to connect",
  "3D000": "the database does not exist",
};
