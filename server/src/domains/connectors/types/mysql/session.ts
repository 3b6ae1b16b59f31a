import type { Socket } from "node:net";
import type { Connection, FieldPacket, ResultSetHeader } from "mysql2";
import { RESPONSE_BYTES_MAX } from "../../upstream/http.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { closedAtDeadline } from "../../upstream/deadline.ts";
import { openSocket, streamError } from "../../upstream/guarded-stream.ts";
import { type Session, type SessionKind, withSession } from "../../upstream/session-pool.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import type { MysqlConfig } from "./config.ts";

type MysqlConnection = UpstreamConnection<MysqlConfig>;

export interface Statement {
  readonly sql: string;
  readonly params?: readonly unknown[];
}

/** The part of the driver's command used here; its types cover only the text protocol. */
interface Command {
  on(event: "fields", listener: (fields: FieldPacket[] | undefined) => void): this;
  on(event: "result", listener: (row: unknown[] | ResultSetHeader) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
}

/** The limit per statement: more than the returned rows, including the omitted ones. */
const RECEIVED_BYTES_MAX = 32 * 1_048_576;

interface Result {
  readonly fields: readonly FieldPacket[];
  readonly rows: readonly (readonly unknown[])[];
  readonly header: ResultSetHeader | undefined;
}

/** One signed-in connection. */
class MysqlSession implements Session {
  readonly #client: Connection;
  readonly #stream: Socket;
  readonly #beginCount: () => void;
  /** The server variable for the statement time limit, and its unit; MySQL accepts only whole numbers. */
  timeLimit = { name: "max_execution_time", unitMs: 1 };
  isOpen = true;

  constructor(client: Connection, stream: Socket) {
    this.#client = client;
    this.#stream = stream;
    guardPackets(client, stream);
    this.#beginCount = limitReceived(client, stream);
    stream.on("close", () => (this.isOpen = false));
    // A broken connection is reported by the awaited operation.
    client.on("error", () => (this.isOpen = false));
    client.on("end", () => (this.isOpen = false));
  }

  connect(): Promise<void> {
    return this.#settle((done) => this.#client.connect(done));
  }

  /** Runs an internal statement without a result. */
  run(sql: string): Promise<void> {
    return this.#settle((done) => this.#client.query(sql, done));
  }

  async readVersion(): Promise<string> {
    const { rows } = await this.execute({ sql: "select version()" }, 1);
    return String(rows[0]?.[0]);
  }

  /**
   * Runs a user's statement as a prepared statement, which allows only one statement: `commit; delete …` would
   * otherwise leave the read-only transaction.
   */
  execute({ sql, params = [] }: Statement, rowsMax: number): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#beginCount();
    let fields: readonly FieldPacket[] = [];
    let header: ResultSetHeader | undefined;
    let bytes = 0;
    const rows: unknown[][] = [];
    const command = this.#client.execute({
      sql,
      values: params.map(toParameter),
      rowsAsArray: true,
    } as never) as unknown as Command;
    command
      .on("fields", (given) => (fields = given ?? fields))
      .on("result", (row) => {
        if (!Array.isArray(row)) {
          header = row;
        } else if (rows.length < rowsMax && bytes <= RESPONSE_BYTES_MAX) {
          const values = row.map(toJson);
          bytes += JSON.stringify(values).length;
          rows.push(values);
        }
      })
      .on("error", reject)
      .on("end", () => {
        if (bytes <= RESPONSE_BYTES_MAX) resolve({ fields, rows, header });
        else reject(new UpstreamError("The response is larger than 1 MiB."));
      });
    return promise;
  }

  /** Resets transaction, settings, locks, temporary tables and prepared statements. */
  reset(): Promise<void> {
    return this.#settle((done) => this.#client.reset(done));
  }

  /** The driver only ends its side, and would wait for the server forever. */
  close(): void {
    this.isOpen = false;
    this.#stream.destroy();
  }

  #settle(start: (done: (error: Error | null) => void) => void): Promise<void> {
    this.#beginCount();
    return new Promise((resolve, reject) =>
      start((error) => (error === null ? resolve() : reject(error))),
    );
  }
}

/** The packet parser of the driver, which its types omit. */
interface PacketHandler {
  packetParser: { readonly execute: (chunk: Buffer) => void };
  handlePacket: (packet?: { readonly sequenceId: number }) => void;
  readonly sequenceId: number;
  readonly _command?: object;
}

/**
 * Drops unexpected packets. The driver parses them outside of its error handling: a truncated one would be an
 * uncaught error that ends the process. It also logs a line for each out-of-order packet.
 */
function guardPackets(client: Connection, stream: Socket): void {
  const driver = client as unknown as PacketHandler;
  const handle = driver.handlePacket.bind(client);
  driver.handlePacket = (packet) => {
    // The remaining data that had already arrived.
    if (packet && stream.destroyed) return;
    try {
      if (packet && driver._command && packet.sequenceId !== driver.sequenceId) stream.destroy();
      else handle(packet);
    } catch {
      stream.destroy();
    }
  };
}

/**
 * Closes the connection when one statement receives more data than any returned response: the driver joins all
 * parts of a packet, without a limit. Returns a function that restarts the count.
 */
function limitReceived(client: Connection, stream: Socket): () => void {
  const driver = client as unknown as PacketHandler;
  const parser = driver.packetParser;
  let received = 0;
  driver.packetParser = {
    execute(chunk) {
      received += chunk.length;
      if (received > RECEIVED_BYTES_MAX) stream.destroy();
      else parser.execute(chunk);
    },
  };
  return () => (received = 0);
}

const kind: SessionKind<MysqlConfig, MysqlSession> = {
  open: openSession,
  clean: (session) => session.reset(),
};

/** Runs one statement in its own transaction. */
export async function runStatement(
  connection: MysqlConnection,
  mode: "read only" | "read write",
  statement: Statement,
): Promise<unknown> {
  const { config, deadline } = connection;
  return withSession(connection, kind, async (session) => {
    try {
      const { name, unitMs } = session.timeLimit;
      const limit = deadline.remainingMs() / unitMs;
      await session.run(
        `set session ${name} = ${limit}, session sql_select_limit = ${config.maxRows + 1}`,
      );
      // The session setting also covers later transactions, if the statement ends this one.
      await session.run(`set session transaction ${mode}`);
      await session.run(`start transaction ${mode}`);
      const result = await session.execute(statement, config.maxRows + 1);
      await session.run("commit");
      return toAnswer(result, config.maxRows, mode);
    } catch (error) {
      throw toDatabaseError(connection, error);
    }
  });
}

async function openSession(connection: MysqlConnection): Promise<MysqlSession> {
  const { config, auth } = connection;
  const { host, port, database, sslMode, caCertificate } = config;
  const { username = "", password = "" } = auth.kind === "basic" ? auth : {};
  const stream = await openSocket(connection, "mysql", config);
  // Loaded on first use: many installations do not use MySQL, and the driver needs memory.
  const { createConnection } = await import("mysql2");
  const ca = caCertificate ?? connection.platform.outbound.trustedCertificates;
  const session = new MysqlSession(
    createConnection({
      host,
      port,
      database,
      user: username,
      password,
      stream: () => stream,
      ...(sslMode !== "disable" && {
        ssl: {
          rejectUnauthorized: sslMode === "verify-full",
          verifyIdentity: sslMode === "verify-full",
          ...(ca !== undefined && { ca }),
        } as never,
      }),
      charset: "utf8mb4",
      dateStrings: true,
      supportBigNumbers: true,
      // Without this, the driver generates code from column names that the server sends.
      disableEval: true,
      maxPreparedStatements: 1,
      // Without this flag, the server may request any local file.
      flags: ["-LOCAL_FILES"],
      connectTimeout: connection.deadline.remainingMs(),
    }),
    stream,
  );
  try {
    await closedAtDeadline(connection.deadline, session, async () => {
      await session.connect();
      // MariaDB has another name, and counts in seconds.
      if (/mariadb/i.test(await session.readVersion())) {
        session.timeLimit = { name: "max_statement_time", unitMs: 1_000 };
      }
    });
    return session;
  } catch (error) {
    throw toDatabaseError(connection, error, true);
  }
}

function toAnswer({ fields, rows, header }: Result, rowsMax: number, mode: string): object {
  const columns = fields.map(({ name }) => name);
  const page = rows.slice(0, rowsMax);
  return {
    columns,
    rows: page.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    rowCount: columns.length > 0 ? page.length : (header?.affectedRows ?? 0),
    truncated: rows.length > rowsMax,
    ...(mode === "read write" && { insertId: header?.insertId || null }),
  };
}

/** Lists and objects are sent as JSON. */
function toParameter(value: unknown): unknown {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value ?? null;
}

/** Bytes have no form in JSON. */
function toJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? { base64: value.toString("base64") } : value;
}

interface DriverError extends Error {
  readonly code?: string;
  readonly errno?: number;
  readonly sqlState?: string;
  readonly sqlMessage?: string;
}

/** The server is temporarily unavailable: too many connections, shutdown. */
const DOWN = new Set([1040, 1053, 1129, 1203, 1226]);
/** The statement timed out; MySQL and MariaDB use different codes. */
const OVERDUE = new Set([3024, 1969]);

function toDatabaseError(
  { config, scrubber }: MysqlConnection,
  error: unknown,
  unsent = false,
): unknown {
  if (error instanceof UpstreamError) return error;
  const { errno, code, sqlState, sqlMessage } = error as DriverError;
  if (sqlState === undefined || errno === undefined) {
    return streamError(error, `mysql ${config.host}`, { unsent });
  }
  const isTimeout = OVERDUE.has(errno);
  const isDown = isTimeout || DOWN.has(errno);
  const words = `The database answered: ${(sqlMessage ?? "").slice(0, 500)}`;
  return new UpstreamError(scrubber.scrub(words), {
    ...(code !== undefined && { code }),
    isDown,
    isTimeout,
    unsent: unsent && isDown,
  });
}
