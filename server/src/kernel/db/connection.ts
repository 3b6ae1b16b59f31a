import type { Writable } from "node:stream";
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

/** The only handle on the database that a domain ever sees: it can't leave its transaction. */
export type Tx = Kysely<Tables>;

/** The first so many texts that come again are prepared on each connection; a server that is asked for more must not grow. */
const PREPARED_STATEMENTS_MAX = 4_500;

/** Tables and filters of people make ever new texts: those must leave room for our own. */
const PREPARED_OF_TABLES_MAX = 3_000;
const USER_SCHEMA = '"tables_';

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

const names = new Map<string, string>();
/** Texts that were sent once; filters of people make many that never come again. */
const seenOnce = new Set<string>();
let namedOfTables = 0;

/** A statement text that comes again gets a name, so that PostgreSQL parses and plans it once a connection. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= PREPARED_STATEMENTS_MAX) return undefined;
  const isOfTables = text.includes(USER_SCHEMA);
  if (isOfTables && namedOfTables >= PREPARED_OF_TABLES_MAX) return undefined;
  if (!seenOnce.delete(text)) {
    if (seenOnce.size >= PREPARED_STATEMENTS_MAX) seenOnce.clear();
    seenOnce.add(text);
    return undefined;
  }
  if (isOfTables) namedOfTables += 1;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}

/** Sends a text without values, which may be several statements. */
export function query(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
  gather(client);
  return client.query(text);
}

/** Sends one statement; with a pipelining client it leaves at once, whatever is still unanswered. */
export function send<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  gather(client);
  // Not `client.query(config)`, which copies the configuration property by property.
  const statement = new PreparedQuery<Row>(text, values.map(plainTime));
  statement.name = nameOf(text);
  const answer = new Promise<pg.QueryResult<Row>>((resolve, reject) => {
    statement.callback = (error, result) => (error ? reject(error) : resolve(result));
  });
  (client as unknown as { query(statement: object): void }).query(statement);
  // The error is made where the answer was read; the stack should lead to who asked.
  return answer.catch((error: Error) => {
    Error.captureStackTrace(error);
    throw error;
  });
}

/** The driver's own class for a statement; its types leave out what the driver itself sets. */
const PreparedQuery = pg.Query as unknown as new <Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[],
) => {
  name: string | undefined;
  callback: (error: Error | null, result: pg.QueryResult<Row>) => void;
};

/** The driver would spell a time out piece by piece. */
function plainTime(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** What is sent before the event loop goes on leaves in one write: `begin` with what follows it. */
function gather(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** A query builder on one client, for as long as `isOpen` says so. */
export function builderOn(client: pg.ClientBase, isOpen: () => boolean): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      // The connection may already serve somebody else's transaction.
      if (!isOpen()) throw new Error("A statement was sent after its transaction had ended.");
      const result = await send(client, query.sql, query.parameters);
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
