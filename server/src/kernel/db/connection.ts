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

/** The only database handle of a domain. It cannot leave its transaction. */
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
 * Sends the text with every statement, for connections through a pooler. A pooler runs each transaction on any
 * free server process, so a prepared statement exists on some processes only. Poolers that track statement
 * names exist, but they keep using a statement after its table has changed.
 */
export function sendWithoutNames(client: pg.ClientBase): void {
  withoutNames.add(client);
}

/** Sends a text without values, which can contain several statements. */
export function query(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
  if (pipelined.has(client)) throw new Error("Pipelined statements would be left out.");
  bufferWrites(client);
  return client.query(text);
}

/** A pipelined statement. */
interface PipelinedStatement {
  readonly text: string;
  readonly name: string;
  readonly values: readonly unknown[];
}

const pipelined = new WeakMap<pg.ClientBase, PipelinedStatement[]>();

/**
 * Pipelines a statement with the next one. The result is dropped, because reading it would cost a system call
 * on both sides. If it fails, the next statement fails too. Returns false if the statement is not prepared yet
 * and must be sent alone.
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

/** Removes the pipelined statements if no further statement will be sent. */
export function cancelPipelined(client: pg.ClientBase): readonly PipelinedStatement[] {
  const waiting = pipelined.get(client);
  pipelined.delete(client);
  return waiting ?? [];
}

/** Sends one statement. A pipelining client sends it immediately, even if others are in progress. */
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
  // `client.query(config)` would copy the configuration property by property.
  const statement = new Statement(text, values.map(formatTime), cancelPipelined(client));
  statement.name = withoutNames.has(client) ? undefined : statementName(text);
  const result = new Promise<pg.QueryResult<Row>>((resolve, reject) => {
    // The caller knows the row type.
    statement.callback = (error, response) =>
      error ? reject(error) : resolve(response as pg.QueryResult<Row>);
  });
  (client as unknown as { query(statement: object): void }).query(statement);
  // The error is created where the result is read. Its stack should point to the caller.
  return result.catch((error: Error) => {
    Error.captureStackTrace(error);
    throw error;
  });
}

/** Members of the driver that its types omit. */
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

/** The driver's internal statement class. */
const PreparedQuery = pg.Query as unknown as new (text: string, values: unknown[]) => DriverQuery;

/** The row description that the driver uses to parse results. */
interface RowDescription {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The prepared statements of a connection. */
class PreparedStatements {
  readonly names = new Set<string>();
  /**
   * Row descriptions by statement name. A prepared statement keeps its row description (PostgreSQL rejects the
   * statement after a table change), so it is described only once. Undefined for statements that return no
   * rows.
   */
  readonly descriptions = new Map<string, RowDescription | undefined>();
}

const prepared = new WeakMap<DriverConnection, PreparedStatements>();

function preparedOn(connection: DriverConnection): PreparedStatements {
  let statements = prepared.get(connection);
  if (!statements) prepared.set(connection, (statements = new PreparedStatements()));
  return statements;
}

/** Connections whose server process uses too much memory. */
const retired = new WeakSet<pg.ClientBase>();

/** Replaces this connection with a new one after its transaction. */
export function retire(client: pg.ClientBase): void {
  retired.add(client);
}

/** True if the connection should be replaced: it was retired or has too many prepared statements. */
export function isFull(client: pg.ClientBase): boolean {
  if (retired.has(client)) return true;
  return preparedOn((client as unknown as DriverClient).connection).names.size >= PREPARED_MAX;
}

/** A statement and the pipelined ones before it, sent as one message with one result. */
class Statement extends PreparedQuery {
  readonly #before: readonly PipelinedStatement[];
  /** The number of pipelined statements that are not complete. */
  #remaining: number;
  #description: RowDescription | undefined;

  constructor(text: string, values: unknown[], before: readonly PipelinedStatement[]) {
    super(text, values);
    this.#before = before;
    this.#remaining = before.length;
    // The simple protocol, the default without values, cannot be pipelined.
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

/** The driver's conversion of values, which its types omit. */
const { prepareValue: valueMapper } = (
  pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }
).utils;

/** A value in the protocol: text, bytes or null. */
function toProtocolValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return valueMapper(value);
  // PostgreSQL reads numbers and booleans in their JSON format.
  return JSON.stringify(value);
}

/** Formats a time faster than the driver, which formats each part. */
function formatTime(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const writeBuffers = new WeakMap<DriverConnection, WriteBuffer>();

/** Collects all messages of one event loop turn in one write, for example `begin` and the next statement. */
function bufferWrites(client: pg.ClientBase): void {
  const { connection } = client as unknown as DriverClient;
  let buffer = writeBuffers.get(connection);
  if (!buffer) writeBuffers.set(connection, (buffer = new WriteBuffer(connection)));
  buffer.open();
}

/**
 * A query builder on one client, usable while `isOpen` is true. It is created on demand, because the most
 * frequent statements are prepared texts.
 */
export function queryBuilderOn(client: pg.ClientBase, isOpen: () => boolean): Tx {
  const sendOnClient: SendText = (text, values) => {
    // The connection may already be used by another transaction.
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

/** The key of the method that sends a finished text. */
export const SEND_TEXT = Symbol("sendText");

/** Sends a finished text in a transaction. */
export function sendText(tx: Tx, text: string, values: readonly unknown[]): ReturnType<SendText> {
  // All builders are created by `queryBuilderOn`.
  return (tx as Tx & { readonly [SEND_TEXT]: SendText })[SEND_TEXT](text, values);
}

/** Parses numbers and times to the API format: safe integers, and ISO 8601 in UTC with milliseconds. */
export const columnParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === TIMESTAMPTZ) return isoTime;
    if (oid === INT8) return Number;
    // Kept as text: a Date would be midnight in one time zone.
    if (oid === DATE) return String;
    return pg.types.getTypeParser(oid, format ?? "text");
  }) as typeof pg.types.getTypeParser,
};

/** "2026-01-02 03:04:05.678+00" → "2026-01-02T03:04:05.678Z". Sessions use UTC. */
export function isoTime(text: string): string {
  if (text.length < 22 || !text.endsWith("+00")) return new Date(text).toISOString();
  const fraction = text.slice(19, -3).padEnd(4, "0").slice(0, 4);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.startsWith(".") ? fraction : ".000"}Z`;
}
