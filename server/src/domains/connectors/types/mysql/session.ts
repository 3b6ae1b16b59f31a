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

/** The part of the driver's command that is used here; its types know only the text protocol's. */
interface Command {
  on(event: "fields", listener: (fields: FieldPacket[] | undefined) => void): this;
  on(event: "result", listener: (row: unknown[] | ResultSetHeader) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
}

/** Of one statement: more than the rows that are shown, with those that are left out. */
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
  /** The server's name for the limit of a statement, and its unit; that of MySQL takes whole ones only. */
  timeLimit = { name: "max_execution_time", unitMs: 1 };
  isOpen = true;

  constructor(client: Connection, stream: Socket) {
    this.#client = client;
    this.#stream = stream;
    guardPackets(client, stream);
    this.#beginCount = limitReceived(client, stream);
    stream.on("close", () => (this.isOpen = false));
    // A broken connection is reported where something is awaited.
    client.on("error", () => (this.isOpen = false));
    client.on("end", () => (this.isOpen = false));
  }

  connect(): Promise<void> {
    return this.#settle((done) => this.#client.connect(done));
  }

  /** A statement of ours, without a result. */
  run(sql: string): Promise<void> {
    return this.#settle((done) => this.#client.query(sql, done));
  }

  async readVersion(): Promise<string> {
    const { rows } = await this.execute({ sql: "select version()" }, 1);
    return String(rows[0]?.[0]);
  }

  /**
   * A statement of others. It goes by the protocol of prepared statements, which takes one statement only: `commit;
   * delete …` would leave the transaction that keeps it from writing.
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

  /** Ends transaction, settings, locks, temporary tables and prepared statements. */
  reset(): Promise<void> {
    return this.#settle((done) => this.#client.reset(done));
  }

  /** The driver only says that it sends no more, and would wait for the other side for ever. */
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

/** The part of the driver that takes packets, which its types leave out. */
interface PacketHandler {
  packetParser: { readonly execute: (chunk: Buffer) => void };
  handlePacket: (packet?: { readonly sequenceId: number }) => void;
  readonly sequenceId: number;
  readonly _command?: object;
}

/**
 * A packet that nobody waits for is read by the driver outside of its own guard: one that is cut would be an error that
 * nobody catches, and the end of the process. For each that is out of order it writes a line to the log of the process.
 */
function guardPackets(client: Connection, stream: Socket): void {
  const driver = client as unknown as PacketHandler;
  const handle = driver.handlePacket.bind(client);
  driver.handlePacket = (packet) => {
    // The rest of what had arrived by then.
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
 * Ends the connection when one statement receives more than any answer that is shown: the driver joins the parts of a
 * packet whatever their number. Returns how to begin the next count.
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

/** Runs one statement in a transaction of its own. */
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
      // Also those that follow, should the statement end this one.
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
  // Loaded at the first statement: many installations have no such database, and it takes memory.
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
      // No code is made of what a server says its columns are called.
      disableEval: true,
      maxPreparedStatements: 1,
      // Without it a server may ask for any file of this machine.
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

/** The server has no time or place for anybody: too many connections, shutdown. */
const DOWN = new Set([1040, 1053, 1129, 1203, 1226]);
/** The statement took longer than it may, as MySQL and MariaDB call it. */
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
