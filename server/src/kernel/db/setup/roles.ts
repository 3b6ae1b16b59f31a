import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import pg from "pg";
import { StartupError } from "../../startup-error.ts";
import {
  IDLE_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MAX_MS,
} from "../transaction-limit.ts";
import { SETUP_LOCK, withOwnerClient } from "./owner-connection.ts";

/** PostgreSQL's own default. The passwords are random keys, so more rounds would add nothing. */
const ITERATIONS = 4_096;

/**
 * The SCRAM verifier that PostgreSQL stores of a password (RFC 5803). Made here and with a fixed salt for each
 * role, it is the same text at every start: a pooler that passes a client's login on to the server knows only
 * this text, and would be rejected as soon as it changed.
 */
export function scramVerifier(password: string, salt: Buffer): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const clientKey = hmac(salted, "Client Key");
  const storedKey = createHash("sha256").update(clientKey).digest("base64");
  const serverKey = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** The roles of one database, by their purpose. */
export interface RoleNames {
  /** Serves requests, one workspace at a time. */
  readonly app: string;
  /** Reads the log and claims work, across workspaces. */
  readonly system: string;
  /** Runs the SQL of people, as the reader of one schema; it can read nothing itself. */
  readonly sql: string;
  /** Can't log in. Through it `app` may switch to the owner of a schema, but only explicitly. */
  readonly door: string;
}

type Login = "app" | "system" | "sql";
const LOGINS: readonly Login[] = ["app", "system", "sql"];
const SALT_BYTES = 16;

export interface Passwords extends Readonly<Record<Login, string>> {
  /** The secret from which the salts of their verifiers derive. */
  readonly salt: Buffer;
}

/** The verifiers of the login roles, by the names of the roles. */
export function buildVerifiers(
  database: string,
  passwords: Passwords,
): ReadonlyMap<string, string> {
  const names = roleNames(database);
  return new Map(
    LOGINS.map((kind) => {
      const salt = createHmac("sha256", passwords.salt).update(names[kind]).digest();
      return [names[kind], scramVerifier(passwords[kind], salt.subarray(0, SALT_BYTES))];
    }),
  );
}

export function roleNames(database: string): RoleNames {
  const tail =
    database.length <= 40
      ? database
      : createHash("sha256").update(database).digest("hex").slice(0, 40);
  return {
    app: `millrace_app_${tail}`,
    system: `millrace_system_${tail}`,
    sql: `millrace_sql_${tail}`,
    door: `millrace_door_${tail}`,
  };
}

/** Creates the group roles, which the login roles belong to and the tables are granted to. */
export async function ensureGroups(client: pg.Client): Promise<void> {
  await ensureRole(client, "millrace_app", "nologin");
  await ensureRole(client, "millrace_system", "nologin");
}

/**
 * Creates the login roles of this database, or renews their passwords, which derive from the master key on
 * every node, and admits nobody else.
 */
export async function ensureLogins(
  owner: pg.ClientConfig,
  passwords: Passwords,
): Promise<RoleNames> {
  return withOwnerClient(owner, async (client) => {
    const { rows } = await client.query<{ name: string; superuser: boolean; version: number }>(
      `select current_database() as name, rolsuper as superuser,
              current_setting('server_version_num')::int as version
         from pg_roles where rolname = current_user`,
    );
    const { name: database = "", superuser = false, version = 0 } = rows[0] ?? {};
    const net = version >= TRANSACTION_TIMEOUT_VERSION ? TRANSACTION_TIMEOUT : [];
    const names = roleNames(database);
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [SETUP_LOCK]);
    await ensureRole(client, names.door, "nologin noinherit");
    const isNew = !(await hasConnectGrant(client, names.app));
    const verifiers = buildVerifiers(database, passwords);
    for (const kind of LOGINS) {
      await ensureRole(client, names[kind], ATTRIBUTES[kind]);
      const role = pg.escapeIdentifier(names[kind]);
      // Not the password: a server may log statements that change roles.
      const verifier = verifiers.get(names[kind]) ?? "";
      await client.query(`alter role ${role} password ${pg.escapeLiteral(verifier)}`);
      const group = GROUPS[kind];
      if (group !== undefined) await client.query(`grant ${group} to ${role}`);
      const limits = superuser ? LIMITS[kind] : [];
      for (const setting of [...SESSION_SETTINGS[kind], ...net, ...limits]) {
        await client.query(`alter role ${role} set ${setting}`);
      }
      await client.query(`grant connect on database ${pg.escapeIdentifier(database)} to ${role}`);
    }
    // Once, at the beginning: an operator may admit others later.
    if (isNew) {
      await client.query(
        `revoke connect, temporary on database ${pg.escapeIdentifier(database)} from public`,
      );
    }
    const door = pg.escapeIdentifier(names.door);
    await client.query(`grant ${door} to ${pg.escapeIdentifier(names.app)}`);
    await grantSchemas(client, names);
    await client.query("commit");
    return names;
  });
}

/** True when the database itself grants the role access. A restored one does not, although its roles may exist. */
async function hasConnectGrant(client: pg.Client, role: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_database d, aclexplode(d.datacl) a join pg_roles r on r.oid = a.grantee
      where d.datname = current_database() and r.rolname = $1 and a.privilege_type = 'CONNECT'`,
    [role],
  );
  return rowCount !== 0;
}

/** A database that was restored under another name has schemas whose grants were made for the old one. */
async function grantSchemas(client: pg.Client, { door, sql }: RoleNames): Promise<void> {
  const { rows } = await client.query<{ role: string; login: string }>(
    `select r.rolname as role, l.login
       from pg_namespace n
       join pg_roles r on r.rolname in ('millrace_o' || substr(n.nspname, 8), 'millrace_r' || substr(n.nspname, 8))
       join (values ('o', $1), ('r', $2)) as l (kind, login) on l.kind = substr(r.rolname, 10, 1)
      where n.nspname ~ '^tables_[psd]_[0-9a-f]{32}$'
        and not exists (select from pg_auth_members m join pg_roles g on g.oid = m.member
                         where m.roleid = r.oid and g.rolname = l.login)`,
    [door, sql],
  );
  for (const { role, login } of rows) {
    await client.query(`grant ${pg.escapeIdentifier(role)} to ${pg.escapeIdentifier(login)}`);
  }
}

const ATTRIBUTES = { app: "login", system: "login", sql: "login noinherit" } as const;
const GROUPS = { app: "millrace_app", system: "millrace_system", sql: undefined } as const;

/** A forgotten transaction would hold back every reader of the log, so none may stay open for long. */
const TIMEOUTS = [
  "timezone = 'UTC'",
  `statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`,
  "lock_timeout = '20s'",
];
/** A net below `TransactionLimit`, where PostgreSQL has one: it ends the session. */
const TRANSACTION_TIMEOUT = [`transaction_timeout = ${TRANSACTION_TIMEOUT_MAX_MS}`];
const TRANSACTION_TIMEOUT_VERSION = 170_000;
/**
 * Queries can't write, by mistake or otherwise. The system role writes claims and notifications; lost in a
 * crash, a claim becomes due again and polling makes up for a notification. The SQL of people gets little of
 * every resource. To compile a statement takes longer than those of requests do.
 */
const SESSION_SETTINGS = {
  app: [...TIMEOUTS, "default_transaction_read_only = on", "jit = off"],
  system: [...TIMEOUTS, "synchronous_commit = off"],
  sql: [
    ...TIMEOUTS,
    "default_transaction_read_only = on",
    "lock_timeout = '2s'",
    "work_mem = '16MB'",
    "max_parallel_workers_per_gather = 0",
    "jit = off",
  ],
} as const;

/**
 * The disk that a statement may fill. Only a superuser may set it: where the database's owner is none, its
 * operator should, for the role that runs the SQL of people.
 */
const LIMITS = { app: [], system: [], sql: ["temp_file_limit = '1GB'"] } as const;

/** Roles belong to the whole cluster, so another database may create the same one at this moment. */
async function ensureRole(
  client: pg.Client,
  name: string,
  attributes: "login" | "login noinherit" | "nologin" | "nologin noinherit",
): Promise<boolean> {
  const existing = await client.query("select from pg_roles where rolname = $1", [name]);
  if (existing.rowCount !== 0) return false;
  await client.query("savepoint role");
  try {
    await client.query(`create role ${pg.escapeIdentifier(name)} ${attributes}`);
    return true;
  } catch (error) {
    await client.query("rollback to savepoint role");
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === "42501") {
      throw new StartupError(
        `The role of DATABASE_URL may not create roles. As a superuser, run once: ` +
          `alter role ${pg.escapeIdentifier(String(client.user))} createrole;`,
        { cause: error },
      );
    }
    // 42710 and 23505: another one was quicker, and the role exists.
    if (code !== "42710" && code !== "23505") throw error;
    return false;
  }
}
