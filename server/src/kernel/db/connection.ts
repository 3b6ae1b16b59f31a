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
import { nameOf, PREPARED_MAX } from "./statement-names.ts";

/** The only handle on the database that a domain ever sees: it can't leave its transaction. */
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

/** Connections on which no name of a statement may be relied upon. */
const nameless = new WeakSet<pg.ClientBase>();

/**
 * Says that a pooler stands between us and the server. It hands each transaction to whatever server
 * process is free, so a statement that was prepared is known to some of them and not to others.
 * Poolers that keep count of names exist, but they go on using a statement after a table has changed
 * under it, so from here on every statement is sent with its text.
 */
export function sendWithoutNames(client: pg.ClientBase): void {
  nameless.add(client);
}

/** Sends a text without values, which may be several statements. */
export function query(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
  if (posts.has(client))
    throw new Error("What was put before the next statement would be left out.");
  gather(client);
  return client.query(text);
}

/** A statement that waits for the next one, to leave and be answered with it. */
interface Post {
  readonly text: string;
  readonly name: string;
  readonly values: readonly unknown[];
}

const posts = new WeakMap<pg.ClientBase, Post[]>();

/**
 * Puts a statement before the next one that is sent: nobody waits for its answer, and when it fails,
 * the next one does. Every answer of its own would cost the server a system call and us another. False
 * when the server does not know the statement yet; then it must be sent by itself.
 */
export function sendPipelined(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): boolean {
  if (nameless.has(client)) return false;
  const name = nameOf(text);
  const { parsedStatements } = (client as unknown as DriverClient).connection;
  if (name === undefined || parsedStatements[name] === undefined) return false;
  const waiting = posts.get(client);
  const one = { text, name, values: values.map(asText) };
  if (waiting) waiting.push(one);
  else posts.set(client, [one]);
  return true;
}

/** Takes back what was put before a next statement that will not come. */
export function cancelPipelined(client: pg.ClientBase): readonly Post[] {
  const waiting = posts.get(client);
  posts.delete(client);
  return waiting ?? [];
}

/** Sends one statement; with a pipelining client it leaves at once, whatever is still unanswered. */
export function send<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  gather(client);
  // Not `client.query(config)`, which copies the configuration property by property.
  const statement = new Statement(text, values.map(plainTime), cancelPipelined(client));
  statement.name = nameless.has(client) ? undefined : nameOf(text);
  const answer = new Promise<pg.QueryResult<Row>>((resolve, reject) => {
    // What the driver makes of rows is what the caller says they are.
    statement.callback = (error, result) =>
      error ? reject(error) : resolve(result as pg.QueryResult<Row>);
  });
  (client as unknown as { query(statement: object): void }).query(statement);
  // The error is made where the answer was read; the stack should lead to who asked.
  return answer.catch((error: Error) => {
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
  readonly _result: Shape;
  _accumulateRows: boolean;
  handleRowDescription(message: object): void;
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: DriverConnection): void;
  handleCommandComplete(message: object, connection: DriverConnection): void;
}

/** The driver's own class for a statement. */
const PreparedQuery = pg.Query as unknown as new (text: string, values: unknown[]) => DriverQuery;

/** What the driver has to know of a result to read its rows. */
interface Shape {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** What is prepared on a connection, by name. */
class Prepared {
  readonly names = new Set<string>();
  /**
   * A statement keeps the shape of what it returns for as long as it is prepared (PostgreSQL refuses it
   * once a table has changed under it), so that nobody has to describe it every time. Undefined is that
   * of one that returns no rows.
   */
  readonly shapes = new Map<string, Shape | undefined>();
}

const prepared = new WeakMap<DriverConnection, Prepared>();

function preparedOn(connection: DriverConnection): Prepared {
  let known = prepared.get(connection);
  if (!known) prepared.set(connection, (known = new Prepared()));
  return known;
}

/** Whether so much is prepared on a connection that a new one should take its place. */
export function isFull(client: pg.ClientBase): boolean {
  return preparedOn((client as unknown as DriverClient).connection).names.size >= PREPARED_MAX;
}

/** A statement and what goes before it, as one message with one answer. */
class Statement extends PreparedQuery {
  readonly #before: readonly Post[];
  /** How many of those before it have not been carried out yet. */
  #left: number;
  #described: Shape | undefined;

  constructor(text: string, values: unknown[], before: readonly Post[]) {
    super(text, values);
    this.#before = before;
    this.#left = before.length;
    // A statement without values would go alone.
    if (before.length > 0) this.queryMode = "extended";
  }

  override prepare(connection: DriverConnection): void {
    for (const { name, values } of this.#before) {
      connection.bind({ portal: "", statement: name, values });
      connection.execute({ portal: "", rows: 0 });
    }
    const { name, values } = this;
    if (name === undefined) return super.prepare(connection);
    const { names, shapes } = preparedOn(connection);
    if (!shapes.has(name)) {
      names.add(name);
      return super.prepare(connection);
    }
    this.#described = shapes.get(name);
    connection.bind({ portal: "", statement: name, values, valueMapper });
    connection.execute({ portal: "", rows: 0 });
    connection.sync();
    Object.assign(this._result, this.#described);
    this._accumulateRows = true;
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#described = { fields, _parsers, _prebuiltEmptyResultObject };
  }

  override handleCommandComplete(message: object, connection: DriverConnection): void {
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    super.handleCommandComplete(message, connection);
    if (this.name !== undefined) preparedOn(connection).shapes.set(this.name, this.#described);
  }
}

/** As the driver maps values; its types do not show that. */
const { prepareValue: valueMapper } = (
  pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }
).utils;

/** What the protocol takes as it is: a text, bytes or nothing. */
function asText(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  // A number and a boolean are written in JSON as PostgreSQL reads them.
  return JSON.stringify(value);
}

/** The driver would spell a time out piece by piece. */
function plainTime(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const outboxes = new WeakMap<DriverConnection, WriteBuffer>();

/** What is sent before the event loop goes on leaves in one write: `begin` with what follows it. */
function gather(client: pg.ClientBase): void {
  const { connection } = client as unknown as DriverClient;
  let outbox = outboxes.get(connection);
  if (!outbox) outboxes.set(connection, (outbox = new WriteBuffer(connection)));
  outbox.open();
}

/**
 * A query builder on one client, for as long as `isOpen` says so. It is made when something is built: the
 * statements that come most often are finished texts.
 */
export function queryBuilderOn(client: pg.ClientBase, isOpen: () => boolean): Tx {
  const sendHere: SendText = (text, values) => {
    // The connection may already serve somebody else's transaction.
    if (!isOpen()) throw new Error("A statement was sent after its transaction had ended.");
    return send(client, text, values);
  };
  let made: Tx | undefined;
  const handler: ProxyHandler<object> = {
    get(_, key) {
      if (key === SEND_TEXT) return sendHere;
      made ??= makeBuilder(sendHere);
      const value: unknown = Reflect.get(made, key, made);
      return typeof value === "function" ? value.bind(made) : value;
    },
  };
  return new Proxy({}, handler) as Tx;
}

function makeBuilder(sendHere: SendText): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const result = await sendHere(query.sql, query.parameters);
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

/** How a builder of ours sends a text that is finished, without building anything. */
export const SEND_TEXT = Symbol("sendText");

/** Sends a finished text within a transaction. */
export function sendText(tx: Tx, text: string, values: readonly unknown[]): ReturnType<SendText> {
  // Every builder comes from `builderOn`.
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
