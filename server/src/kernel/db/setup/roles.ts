import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import pg from "pg";
import { StartupError } from "../../startup-error.ts";
import {
  IDLE_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MAX_MS,
} from "../transaction-limit.ts";
import { SETUP_LOCK, withOwnerClient } from "./owner-connection.ts";

/** PostgreSQL's default. The passwords are random keys, so more rounds add nothing. */
const ITERATIONS = 4_096;

/**
 * The SCRAM verifier that PostgreSQL stores for a password (RFC 5803). It is computed here with a fixed salt
 * per role, so that it stays the same at every start: a pooler that forwards a client's login knows only this
 * text, and would be rejected after a change.
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

/** The roles of one database by purpose. */
export interface RoleNames {
  /** Serves requests in one workspace at a time. */
  readonly app: string;
  /** Reads the log and claims work across workspaces. */
  readonly system: string;
  /** Runs users' SQL as the reader of one schema. It has no read access itself. */
  readonly sql: string;
  /** Cannot log in. `app` can switch through it to a schema owner, but only explicitly. */
  readonly door: string;
}

type Login = "app" | "system" | "sql";
const LOGINS: readonly Login[] = ["app", "system", "sql"];
const SALT_BYTES = 16;

export interface Passwords extends Readonly<Record<Login, string>> {
  /** The secret from which the verifier salts are derived. */
  readonly salt: Buffer;
}

/** The verifiers of the login roles, by role name. */
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

/** Creates the group roles. Login roles are members, and tables are granted to them. */
export async function ensureGroups(client: pg.Client): Promise<void> {
  await ensureRole(client, "millrace_app", "nologin");
  await ensureRole(client, "millrace_system", "nologin");
}

/**
 * Creates the login roles of this database or updates their passwords, which every node derives from the master
 * key. No other roles get access.
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
      // Sends the verifier, because a server can log statements that change roles.
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
    // Only at creation: an operator can grant access to other roles later.
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

/** True if the database itself grants the role access. A restored database does not, although its roles may exist. */
async function hasConnectGrant(client: pg.Client, role: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_database d, aclexplode(d.datacl) a join pg_roles r on r.oid = a.grantee
      where d.datname = current_database() and r.rolname = $1 and a.privilege_type = 'CONNECT'`,
    [role],
  );
  return rowCount !== 0;
}

/** In a database restored under another name, schema grants refer to the roles of the old name. */
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

/** A forgotten transaction would delay every reader of the log, so the duration is limited. */
const TIMEOUTS = [
  "timezone = 'UTC'",
  `statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`,
  "lock_timeout = '20s'",
];
/** A fallback for `TransactionLimit` that ends the session. Only newer PostgreSQL versions have it. */
const TRANSACTION_TIMEOUT = [`transaction_timeout = ${TRANSACTION_TIMEOUT_MAX_MS}`];
const TRANSACTION_TIMEOUT_VERSION = 170_000;
/**
 * The application role is read-only by default, so queries cannot write. The system role writes claims and
 * notifications without waiting for disk: a claim lost in a crash becomes due again, and polling replaces a
 * lost notification. The role for users' SQL gets small limits. JIT compilation takes longer than the
 * statements of requests.
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
 * The maximum disk space of a statement. Only a superuser can set it. If the database owner is not a superuser,
 * the operator should set it for the role that runs users' SQL.
 */
const LIMITS = { app: [], system: [], sql: ["temp_file_limit = '1GB'"] } as const;

/** Roles belong to the cluster, so another database can create the same role concurrently. */
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
        `The role of DATABASE_URL can't create roles. As a superuser, run once: alter role ${pg.escapeIdentifier(String(client.user))} createrole;`,
        { cause: error },
      );
    }
    // 42710 and 23505: another process created the role first.
    if (code !== "42710" && code !== "23505") throw error;
    return false;
  }
}
