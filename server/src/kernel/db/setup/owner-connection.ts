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
  const why = error.message.startsWith("timeout ") ? "it does not answer" : CONNECT_FAULTS[code];
  if (why === undefined) return error;
  const place = `${host ?? "localhost"}${host?.startsWith("/") ? "" : `:${port ?? 5432}`}`;
  const name = `${database ?? ""}${user === undefined ? "" : ` as ${user}`}`;
  return new StartupError(
    `The database ${name} at ${place} can't be opened: ${why}. Check DATABASE_URL.`.replace(
      "database  ",
      "database ",
    ),
    { cause: error },
  );
}

const CONNECT_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOENT: "there is no socket",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the name of the host can't be resolved",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the host can't be reached",
  ETIMEDOUT: "it does not answer",
  EACCES: "this account may not use the socket",
  "28P01": "it refuses the password",
  "28000": "it refuses this user",
  "3D000": "there is no database of this name",
};
