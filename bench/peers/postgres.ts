import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { withOwnerClient } from "../../server/src/kernel/db/setup/owner-connection.ts";
import { roleNames } from "../../server/src/kernel/db/setup/roles.ts";
import { startEmbedded } from "../../server/src/kernel/embedded/embedded-database.ts";
import { parseConnectionUrl } from "../../server/src/kernel/db/setup/owner-connection.ts";

/** Connection parameters. `host` can be the folder of a Unix socket. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The shared server of all sides, each with a separate database. */
export interface Postgres {
  readonly version: string;
  /** Creates an empty database with this name prefix. */
  create(name: string): Promise<Connection>;
  /** Drops the databases, and stops the server if this process started it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server at this URL, or an embedded one in this folder, with fsync like the product. */
export async function openPostgres(url: string | undefined, folder: string): Promise<Postgres> {
  if (url === undefined) {
    const embedded = await startEmbedded({
      folder: join(folder, "postgres"),
      log: () => undefined,
    });
    return serve(embedded.connection, () => embedded.stop());
  }
  const { host = "127.0.0.1", port = 5432, user = "postgres", ...rest } = parseConnectionUrl(url);
  const { database = user } = rest;
  const password = typeof rest.password === "string" ? rest.password : "";
  return serve({ host, port, user, password, database }, async () => undefined);
}

/** The connection as a URL. */
export function urlOf({ host, port, user, password, database }: Connection): string {
  const secret = password === "" ? "" : `:${encodeURIComponent(password)}`;
  const who = `postgres://${encodeURIComponent(user)}${secret}`;
  return `${who}@${encodeURIComponent(host)}:${port}/${database}`;
}

/** Runs one statement as the owner of a database. */
export function query<Row extends pg.QueryResultRow>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withOwnerClient(
    connection,
    async (client) => (await client.query<Row>(text, values)).rows,
  );
}

async function serve(owner: Connection, stop: () => Promise<void>): Promise<Postgres> {
  const made: Connection[] = [];
  try {
    const [durable] = await query<{ version: string; lax: string | null }>(owner, DURABILITY);
    if (durable?.lax) {
      throw new Error(`A commit must wait for the disk on this server, but ${durable.lax} is off.`);
    }
    return {
      version: durable?.version ?? "",
      async create(name) {
        const database = `${name}_${randomBytes(4).toString("hex")}`;
        await query(owner, `create database ${pg.escapeIdentifier(database)}`);
        const connection = { ...owner, database };
        made.push(connection);
        return connection;
      },
      async [Symbol.asyncDispose]() {
        try {
          for (const one of made) await drop(owner, one);
        } finally {
          await stop();
        }
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const DURABILITY = `
  select current_setting('server_version') as version,
         (select string_agg(name, ', ') from pg_settings
           where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off') as lax`;

/** Roles created by the product for the schemas of tables. */
const SCHEMA_ROLES = `
  select 'millrace_' || kind || substr(nspname, 8) as role
    from pg_namespace cross join unnest(array['o', 'r']) as kind
   where nspname ~ '^tables_[psd]_[0-9a-f]{32}$'`;

/** Drops a database with its own roles. The product's group roles may be shared with others. */
async function drop(owner: Connection, connection: Connection): Promise<void> {
  const { database } = connection;
  const ofSchemas = await query<{ role: string }>(connection, SCHEMA_ROLES);
  await query(owner, `drop database ${pg.escapeIdentifier(database)} with (force)`);
  const roles = [...ofSchemas.map(({ role }) => role), ...Object.values(roleNames(database))];
  for (const role of roles) await query(owner, `drop role if exists ${pg.escapeIdentifier(role)}`);
}
