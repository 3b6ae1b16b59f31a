import pg from "pg";

/** Whoever changes the schema or the roles holds it. Any constant will do, as long as it is everyone's. */
export const SETUP_LOCK = 0x6d696c6c;

/** One connection, for as long as the work takes. */
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
