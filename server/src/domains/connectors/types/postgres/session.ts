import pg from "pg";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { toOutboundFailure } from "#kernel/outbound/error.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { withDeadline } from "../../upstream/deadline.ts";
import { RESPONSE_BYTES_MAX } from "../../upstream/http.ts";
import { UpstreamError, upstreamErrorOf } from "../../upstream/upstream-error.ts";
import type { PostgresConfig } from "./config.ts";
import { poolOf } from "./pool.ts";

/** The part of the driver's connection that is used here. */
interface Connection {
  execute(what: { readonly portal: string; readonly rows: number }): void;
  sync(): void;
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** The driver's class for statements; its types omit the methods that the connection calls. */
const DriverQuery = pg.Query as unknown as new (config: object) => {
  callback: (error: Error | null, result: pg.QueryArrayResult) => void;
  handleDataRow(row: DataRow): void;
};

/**
 * One statement with limits for rows and bytes. Always uses the extended protocol, which allows only one statement:
 * `commit; delete …` would otherwise leave the read-only transaction. Rows beyond the limit are not requested.
 */
class BoundedStatement extends DriverQuery {
  readonly result: Promise<pg.QueryArrayResult>;
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(
    statement: { readonly sql: string; readonly params?: readonly unknown[] },
    bounds: { readonly rowsMax: number; readonly bytesMax: number },
  ) {
    const { sql: text, params: values = [] } = statement;
    super({ text, values, rowMode: "array", queryMode: "extended" });
    this.#rowsMax = bounds.rowsMax;
    this.#bytesMax = bounds.bytesMax;
    this.result = new Promise((resolve, reject) => {
      this.callback = (error, result) => (error ? reject(error) : resolve(result));
    });
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  override handleDataRow(row: DataRow): void {
    for (const field of row.fields) this.#bytes += field?.length ?? 4;
    if (!this.isTooLarge) super.handleDataRow(row);
  }

  /** Called once by the driver: requests the rows, and ends after that. */
  _getRows(connection: Connection): void {
    connection.execute({ portal: "", rows: this.#rowsMax });
    connection.sync();
  }

  /** The portal has more rows than requested; they are not read. */
  handlePortalSuspended(): void {}
}

export interface Statement {
  readonly sql: string;
  readonly params?: readonly unknown[];
}

/** Runs one statement in its own transaction, within the limits of the connector. */
export async function runStatement(
  connection: UpstreamConnection<PostgresConfig>,
  mode: "read only" | "read write",
  statement: Statement,
): Promise<unknown> {
  const { deadline } = connection;
  const client = await connect(connection);
  let broken = true;
  // Closing the connection also cancels the statement on the server.
  const stop = (): void => client.release(true);
  deadline.signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await withDeadline(deadline, transact(client, connection, { mode, statement }));
    broken = false;
    return result;
  } catch (error) {
    deadline.signal.throwIfAborted();
    broken = isBroken(error);
    throw toDatabaseError(connection, error);
  } finally {
    deadline.signal.removeEventListener("abort", stop);
    if (!deadline.signal.aborted) void resetClient(client, broken);
  }
}

async function connect(connection: UpstreamConnection<PostgresConfig>): Promise<pg.PoolClient> {
  const { deadline } = connection;
  const connecting = poolOf(connection).connect();
  try {
    return await withDeadline(deadline, connecting);
  } catch (error) {
    // A connection that is established too late is returned to the pool for the next call.
    void connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    deadline.signal.throwIfAborted();
    throw toDatabaseError(connection, error, true);
  }
}

async function transact(
  client: pg.PoolClient,
  { config, deadline }: UpstreamConnection<PostgresConfig>,
  { mode, statement }: { readonly mode: string; readonly statement: Statement },
): Promise<unknown> {
  const { maxRows } = config;
  await client.query(`begin ${mode}; set local statement_timeout = ${deadline.remainingMs()}`);
  const bounded = new BoundedStatement(statement, {
    rowsMax: maxRows + 1,
    bytesMax: RESPONSE_BYTES_MAX,
  });
  client.query(bounded as never);
  const { fields, rows, rowCount } = await bounded.result.catch(async (error: unknown) => {
    await client.query("rollback");
    throw error;
  });
  if (bounded.isTooLarge) {
    await client.query("rollback");
    throw new UpstreamError("The response is larger than 1 MiB.");
  }
  await client.query("commit");
  const columns = fields.map(({ name }) => name);
  const page = rows.slice(0, maxRows) as unknown[][];
  return {
    columns,
    rows: page.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    rowCount: columns.length > 0 ? page.length : (rowCount ?? 0),
    truncated: rows.length > maxRows,
  };
}

/** Removes the state of a call: settings, locks, prepared statements. */
async function resetClient(client: pg.PoolClient, broken: boolean): Promise<void> {
  if (broken) return client.release(true);
  await client.query(DISCARD_ALL).then(
    () => client.release(),
    () => client.release(true),
  );
}

/** No caller waits for this statement, so it needs its own timeout; otherwise it could block a pool connection. */
const DISCARD_ALL = { text: "discard all", query_timeout: 5_000 };
const SQLSTATE = /^[0-9A-Z]{5}$/;
const CANCELLED = "57014";

/** A statement error leaves the connection usable. */
function isBroken(error: unknown): boolean {
  if (error instanceof UpstreamError) return false;
  const code = sqlStateOf(error) ?? "";
  return !SQLSTATE.test(code) || /^(08|57P|53)/.test(code);
}

function toDatabaseError(
  { config, scrubber }: UpstreamConnection<PostgresConfig>,
  error: unknown,
  unsent = false,
) {
  if (error instanceof UpstreamError) return error;
  const code = sqlStateOf(error);
  if (error instanceof Error && code !== undefined && SQLSTATE.test(code)) {
    const isDown = /^(08|57P|53)/.test(code) || code === CANCELLED;
    return new UpstreamError(scrubber.scrub(`The database returned an error: ${error.message}`), {
      code,
      isDown,
      isTimeout: code === CANCELLED,
      unsent: unsent && isDown,
    });
  }
  const outboundError = upstreamErrorOf(toOutboundFailure(error, `postgres ${config.host}`));
  if (!(outboundError instanceof UpstreamError) || !outboundError.particulars.isDown)
    return outboundError;
  return new UpstreamError(outboundError.message, { ...outboundError.particulars, unsent });
}
