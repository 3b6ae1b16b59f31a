import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import pg from "pg";
import type { Tables } from "../../tables.ts";
import { WriteBuffer, type BufferedWrite } from "./write-buffer.ts";
import { isTraced, tracePart } from "../telemetry/span.ts";
import { describeStatement } from "./statement-span.ts";
import { PREPARED_MAX, statementName } from "./statement-names.ts";

/** A domain's only handle on the database: it can't leave its transaction. */
export type Tx = Kysely<Tables>;

const TIMESTAMPTZ = 1184;
const INT8 = 20;
const DATE = 1082;

const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (): never => {
    throw new Error("The application does not introspect its database.");
  },
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const adapter = new PostgresAdapter();
const compiler = new PostgresQueryCompiler();
const driver = new DummyDriver();

/** Connections without named prepared statements. */
const withoutNames = new WeakSet<pg.ClientBase>();

/**
 * Sends every statement with its text, for a connection through a pooler. It hands each transaction to any
 * free server process, so a prepared statement is known to some of them and not to others. Poolers that track
 * names exist, but they go on using a statement after a table has changed under it.
 */
export function sendWithoutNames(client: pg.ClientBase): void {
  withoutNames.add(client);
}

/** Sends a text without values, which may hold several statements. */
export function query(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
  if (pipelined.has(client)) throw new Error("Pipelined statements would be left out.");
  bufferWrites(client);
  return client.query(text);
}

/** A statement that is sent, and answered, together with the next one. */
interface PipelinedStatement {
  readonly text: string;
  readonly name: string;
  readonly values: readonly unknown[];
}

const pipelined = new WeakMap<pg.ClientBase, PipelinedStatement[]>();

/**
 * Pipelines a statement with the next one that is sent: nobody waits for its result, and when it fails, the
 * next one does. A result of its own would cost the server a system call and us another. False when the
 * statement is not prepared yet; then it must be sent by itself.
 */
export function sendPipelined(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): boolean {
  if (withoutNames.has(client)) return false;
  const name = statementName(text);
  const { parsedStatements } = (client as unknown as DriverClient).connection;
  if (name === undefined || parsedStatements[name] === undefined) return false;
  const waiting = pipelined.get(client);
  const statement = { text, name, values: values.map(toProtocolValue) };
  if (waiting) waiting.push(statement);
  else pipelined.set(client, [statement]);
  return true;
}

/** Takes back the pipelined statements, when no next one will come. */
export function cancelPipelined(client: pg.ClientBase): readonly PipelinedStatement[] {
  const waiting = pipelined.get(client);
  pipelined.delete(client);
  return waiting ?? [];
}

/** Sends one statement; with a pipelining client it leaves at once, whatever is still in progress. */
export function send<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  if (!isTraced()) return sendStatement(client, text, values);
  return tracePart(
    () => describeStatement(text),
    () => sendStatement<Row>(client, text, values),
  );
}

function sendStatement<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  bufferWrites(client);
  // Not `client.query(config)`, which copies the configuration property by property.
  const statement = new Statement(text, values.map(formatTime), cancelPipelined(client));
  statement.name = withoutNames.has(client) ? undefined : statementName(text);
  const result = new Promise<pg.QueryResult<Row>>((resolve, reject) => {
    // The caller knows the type of its rows.
    statement.callback = (error, response) =>
      error ? reject(error) : resolve(response as pg.QueryResult<Row>);
  });
  (client as unknown as { query(statement: object): void }).query(statement);
  // The error is made where the result is read; its stack should lead to the caller.
  return result.catch((error: Error) => {
    Error.captureStackTrace(error);
    throw error;
  });
}

/** Parts of the driver that its types leave out. */
interface DriverConnection extends BufferedWrite {
  readonly parsedStatements: Readonly<Record<string, string>>;
  bind(config: object): void;
  execute(config: object): void;
  sync(): void;
}
interface DriverClient {
  readonly connection: DriverConnection;
}
interface DriverQuery {
  name: string | undefined;
  queryMode: string | undefined;
  readonly values: readonly unknown[];
  readonly _result: RowDescription;
  _accumulateRows: boolean;
  handleRowDescription(message: object): void;
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: DriverConnection): void;
  handleCommandComplete(message: object, connection: DriverConnection): void;
}

/** The driver's own class for a statement. */
const PreparedQuery = pg.Query as unknown as new (text: string, values: unknown[]) => DriverQuery;

/** The description of a result, by which the driver reads its rows. */
interface RowDescription {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The prepared statements of a connection, by name. */
class PreparedStatements {
  readonly names = new Set<string>();
  /**
   * The row descriptions. A statement keeps its own for as long as it is prepared (PostgreSQL rejects it once
   * a table has changed under it), so that it need not be described every time. Undefined for one that
   * returns no rows.
   */
  readonly descriptions = new Map<string, RowDescription | undefined>();
}

const prepared = new WeakMap<DriverConnection, PreparedStatements>();

function preparedOn(connection: DriverConnection): PreparedStatements {
  let statements = prepared.get(connection);
  if (!statements) prepared.set(connection, (statements = new PreparedStatements()));
  return statements;
}

/** Connections whose server process has grown too much. */
const retired = new WeakSet<pg.ClientBase>();

/** Has a new connection replace this one as soon as its transaction is over. */
export function retire(client: pg.ClientBase): void {
  retired.add(client);
}

/** True when a new connection should replace this one: so many statements are prepared, or it was retired. */
export function isFull(client: pg.ClientBase): boolean {
  if (retired.has(client)) return true;
  return preparedOn((client as unknown as DriverClient).connection).names.size >= PREPARED_MAX;
}

/** A statement and those pipelined before it, as one message with one result. */
class Statement extends PreparedQuery {
  readonly #before: readonly PipelinedStatement[];
  /** How many of those before it have not completed yet. */
  #remaining: number;
  #description: RowDescription | undefined;

  constructor(text: string, values: unknown[], before: readonly PipelinedStatement[]) {
    super(text, values);
    this.#before = before;
    this.#remaining = before.length;
    // A statement without values would be sent alone.
    if (before.length > 0) this.queryMode = "extended";
  }

  override prepare(connection: DriverConnection): void {
    for (const { name, values } of this.#before) {
      connection.bind({ portal: "", statement: name, values });
      connection.execute({ portal: "", rows: 0 });
    }
    const { name, values } = this;
    if (name === undefined) return super.prepare(connection);
    const { names, descriptions } = preparedOn(connection);
    if (!descriptions.has(name)) {
      names.add(name);
      return super.prepare(connection);
    }
    this.#description = descriptions.get(name);
    connection.bind({ portal: "", statement: name, values, valueMapper });
    connection.execute({ portal: "", rows: 0 });
    connection.sync();
    Object.assign(this._result, this.#description);
    this._accumulateRows = true;
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#description = { fields, _parsers, _prebuiltEmptyResultObject };
  }

  override handleCommandComplete(message: object, connection: DriverConnection): void {
    if (this.#remaining > 0) {
      this.#remaining -= 1;
      return;
    }
    super.handleCommandComplete(message, connection);
    if (this.name !== undefined)
      preparedOn(connection).descriptions.set(this.name, this.#description);
  }
}

/** The driver's mapping of values; its types leave it out. */
const { prepareValue: valueMapper } = (
  pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }
).utils;

/** A value of the protocol: a text, bytes or null. */
function toProtocolValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return valueMapper(value);
  // A number and a boolean are written in JSON as PostgreSQL reads them.
  return JSON.stringify(value);
}

/** Formats a time, which the driver would do part by part. */
function formatTime(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const writeBuffers = new WeakMap<DriverConnection, WriteBuffer>();

/** Sends all messages of one turn of the event loop in one write: `begin` with the next statement. */
function bufferWrites(client: pg.ClientBase): void {
  const { connection } = client as unknown as DriverClient;
  let buffer = writeBuffers.get(connection);
  if (!buffer) writeBuffers.set(connection, (buffer = new WriteBuffer(connection)));
  buffer.open();
}

/**
 * A query builder on one client, for as long as `isOpen` is true. It is made when something is built: the
 * most frequent statements are finished texts.
 */
export function queryBuilderOn(client: pg.ClientBase, isOpen: () => boolean): Tx {
  const sendOnClient: SendText = (text, values) => {
    // The connection may already serve somebody else's transaction.
    if (!isOpen()) throw new Error("A statement was sent after its transaction had ended.");
    return send(client, text, values);
  };
  let builder: Tx | undefined;
  const handler: ProxyHandler<object> = {
    get(_, key) {
      if (key === SEND_TEXT) return sendOnClient;
      builder ??= createBuilder(sendOnClient);
      const value: unknown = Reflect.get(builder, key, builder);
      return typeof value === "function" ? value.bind(builder) : value;
    },
  };
  return new Proxy({}, handler) as Tx;
}

function createBuilder(sendOnClient: SendText): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const result = await sendOnClient(query.sql, query.parameters);
      return {
        rows: result.rows as Row[],
        ...(result.rowCount !== null && { numAffectedRows: BigInt(result.rowCount) }),
      };
    },
    streamQuery: (): never => {
      throw new Error("Streaming needs a connection of its own.");
    },
  };
  const provider = {
    provideConnection: <T>(consumer: (connection: DatabaseConnection) => Promise<T>) =>
      consumer(connection),
  };
  return new Kysely<Tables>({
    config: { dialect },
    dialect,
    driver,
    executor: new DefaultQueryExecutor(compiler, adapter, provider),
  });
}

type SendText = (
  text: string,
  values: readonly unknown[],
) => Promise<pg.QueryResult<pg.QueryResultRow>>;

/** The key by which a builder of ours sends a finished text. */
export const SEND_TEXT = Symbol("sendText");

/** Sends a finished text within a transaction. */
export function sendText(tx: Tx, text: string, values: readonly unknown[]): ReturnType<SendText> {
  // Every builder comes from `queryBuilderOn`.
  return (tx as Tx & { readonly [SEND_TEXT]: SendText })[SEND_TEXT](text, values);
}

/** Numbers and times as the API shows them: safe integers, and ISO 8601 in UTC with milliseconds. */
export const columnParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === TIMESTAMPTZ) return isoTime;
    if (oid === INT8) return Number;
    // As it is: a Date would be midnight somewhere.
    if (oid === DATE) return String;
    return pg.types.getTypeParser(oid, format ?? "text");
  }) as typeof pg.types.getTypeParser,
};

/** "2026-01-02 03:04:05.678+00" → "2026-01-02T03:04:05.678Z". Our sessions run in UTC. */
export function isoTime(text: string): string {
  if (text.length < 22 || !text.endsWith("+00")) return new Date(text).toISOString();
  const fraction = text.slice(19, -3).padEnd(4, "0").slice(0, 4);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.startsWith(".") ? fraction : ".000"}Z`;
}
