import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { StartRefused } from "../start-refused.ts";

const FOLDER = join(import.meta.dirname, "../../../migrations");
/** Any constant will do, as long as every node takes the same one. */
const LOCK = 0x6d696c6c;

export interface RoleNames {
  readonly app: string;
  readonly system: string;
}

/**
 * Brings the database to the newest schema: all that is missing in one transaction, under a lock, so
 * that any number of nodes may start at once and a failure leaves the old schema whole.
 */
export async function migrate(owner: pg.ClientConfig): Promise<void> {
  await withClient(owner, async (client) => {
    await requireVersion(client);
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await ensureGroups(client);
    await client.query(
      `create table if not exists migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await client.query<{ name: string; checksum: string }>(
      "select name, checksum from migrations",
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.checksum]));
    for (const { name, text, checksum } of migrations()) {
      const before = known.get(name);
      if (before === checksum) continue;
      if (before !== undefined) {
        throw new Error(`The migration ${name} was edited after it had been applied.`);
      }
      await client.query(text);
      await client.query("insert into migrations (name, checksum) values ($1, $2)", [
        name,
        checksum,
      ]);
    }
    await client.query("commit");
  });
}

/** The login roles of one database; their passwords derive from the master key on every node. */
export function roleNames(database: string): RoleNames {
  const tail =
    database.length <= 40
      ? database
      : createHash("sha256").update(database).digest("hex").slice(0, 40);
  return { app: `millrace_app_${tail}`, system: `millrace_system_${tail}` };
}

/** Makes the two login roles of this database, or renews their passwords, and admits nobody else. */
export async function ensureLogins(
  owner: pg.ClientConfig,
  logins: { readonly app: string; readonly system: string },
): Promise<RoleNames> {
  return withClient(owner, async (client) => {
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    const database = rows[0]?.name ?? "";
    const names = roleNames(database);
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    for (const kind of ["app", "system"] as const) {
      const made = await ensureRole(client, names[kind], "login");
      const role = pg.escapeIdentifier(names[kind]);
      await client.query(`alter role ${role} password ${pg.escapeLiteral(logins[kind])}`);
      await client.query(`grant millrace_${kind} to ${role}`);
      for (const setting of SESSION_SETTINGS[kind])
        await client.query(`alter role ${role} set ${setting}`);
      await client.query(`grant connect on database ${pg.escapeIdentifier(database)} to ${role}`);
      // Once, at the beginning: whom an operator admits later is the operator's affair.
      if (made) {
        await client.query(
          `revoke connect, temporary on database ${pg.escapeIdentifier(database)} from public`,
        );
      }
    }
    await client.query("commit");
    return names;
  });
}

/** A forgotten transaction would hold back every reader of the log, so none may stay open for long. */
const BOUNDS = [
  "timezone = 'UTC'",
  "statement_timeout = '60s'",
  "idle_in_transaction_session_timeout = '30s'",
  "lock_timeout = '20s'",
];
/**
 * What is no command can't write, by mistake or otherwise. What the system role writes is a claim or a
 * notification; lost in a crash, the one becomes due again and the other is made up for by a look.
 */
const SESSION_SETTINGS = {
  app: [...BOUNDS, "default_transaction_read_only = on"],
  system: [...BOUNDS, "synchronous_commit = off"],
} as const;

export async function withClient<T>(
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

function migrations(): { name: string; text: string; checksum: string }[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), "utf8");
      return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
    });
}

async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  const version = rows[0]?.version ?? 0;
  if (version < 150_000) {
    throw new StartRefused(
      `Millrace needs PostgreSQL 15 or newer; this server is ${version / 10_000}.`,
    );
  }
}

async function ensureGroups(client: pg.Client): Promise<void> {
  await ensureRole(client, "millrace_app", "nologin");
  await ensureRole(client, "millrace_system", "nologin");
}

/** Roles belong to the whole cluster, so another database may make the same one at this moment. */
async function ensureRole(
  client: pg.Client,
  name: string,
  kind: "login" | "nologin",
): Promise<boolean> {
  const existing = await client.query("select from pg_roles where rolname = $1", [name]);
  if (existing.rowCount !== 0) return false;
  await client.query("savepoint role");
  try {
    await client.query(`create role ${pg.escapeIdentifier(name)} ${kind}`);
    return true;
  } catch (error) {
    await client.query("rollback to savepoint role");
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === "42501") {
      throw new StartRefused(
        `The role of DATABASE_URL may not create roles. As a superuser, run once: ` +
          `alter role ${pg.escapeIdentifier(String(client.user))} createrole;`,
        { cause: error },
      );
    }
    // 42710 and 23505: the other one was quicker, and the role is there.
    if (code !== "42710" && code !== "23505") throw error;
    return false;
  }
}
