import pg from "pg";

/** The advisory lock of code that changes the schema or the roles: any constant, as long as all use it. */
export const SETUP_LOCK = 0x6d696c6c;

/** Runs work on one connection, and closes it. */
export async function withOwnerClient<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
