import type pg from "pg";
import type { MasterKey } from "../../access/crypto.ts";
import { StartupError } from "../../startup-error.ts";
import { newWorkspaceKey } from "../../schema/id.ts";
import { PRESENT_CLUSTER } from "./log-epoch.ts";
import { verifyKeyCheck, sealKeyCheck } from "./key-check.ts";
import { migrate } from "./migrate.ts";
import { SETUP_LOCK, withOwnerClient } from "./owner-connection.ts";
import { ensureLogins, type Passwords } from "./roles.ts";

/** For work that must not wait for a pooler, or that needs a session. */
export interface DirectConnections {
  readonly system: pg.ClientConfig;
  readonly sql: pg.ClientConfig;
}

export interface PreparedDatabase {
  readonly app: pg.ClientConfig;
  readonly system: pg.ClientConfig;
  readonly sql: pg.ClientConfig;
  /** Connections that bypass the pooler, if the others use one. */
  readonly direct?: DirectConnections | undefined;
  /** True if this process started the database on this machine. */
  readonly isEmbedded?: boolean;
  /** The state of pgvector: "ready", "absent" if the server does not have it, or the reason why it can't be used. */
  readonly vectorCopies?: string | undefined;
}

/**
 * Prepares the database as its owner at every start: schema, login roles, and the master key check. For login
 * roles, the pooler settings replace the owner's host, port and database.
 */
export async function prepareDatabase(
  owner: pg.ClientConfig,
  masterKey: MasterKey,
  pooler?: pg.ClientConfig,
): Promise<PreparedDatabase> {
  await migrate(owner);
  await ensureInstallation(owner, masterKey);
  const vectorCopies = await ensureVectorCopies(owner);
  const logins = loginPasswords(masterKey);
  const names = await ensureLogins(owner, logins);
  const direct = assertNoUrl(owner);
  const base = pooler ? { ...direct, ...pooler } : direct;
  const app = { user: names.app, password: logins.app };
  const system = { user: names.system, password: logins.system };
  const sql = { user: names.sql, password: logins.sql };
  return {
    app: { ...base, ...app },
    system: { ...base, ...system },
    sql: { ...base, ...sql },
    vectorCopies,
    ...(pooler && {
      direct: { system: { ...direct, ...system }, sql: { ...direct, ...sql } },
    }),
  };
}

/** The passwords of the login roles. Every node derives the same ones. */
export function loginPasswords(masterKey: MasterKey): Passwords {
  return {
    app: masterKey.derive("database role app").toString("base64url"),
    system: masterKey.derive("database role system").toString("base64url"),
    sql: masterKey.derive("database role sql").toString("base64url"),
    salt: masterKey.derive("database role salts"),
  };
}

async function ensureInstallation(owner: pg.ClientConfig, masterKey: MasterKey): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    await client.query(
      `insert into installation (key_check, cluster, home_workspace_id, created_at)
       select $1, ${PRESENT_CLUSTER}, $2, now()
       on conflict (the_only_one) do nothing`,
      [sealKeyCheck(masterKey), newWorkspaceKey()],
    );
    const { rows } = await client.query<{ key_check: Buffer }>(
      "select key_check from installation",
    );
    if (!verifyKeyCheck(masterKey, rows[0]?.key_check ?? Buffer.alloc(0))) {
      throw new StartupError(
        "The master key does not match this database. Set MILLRACE_MASTER_KEY, or restore the file master.key of its data folder.",
      );
    }
    await presentEpoch(client);
  });
}

/** Runs under the setup lock, because nodes can start at the same time. A failure must not prevent the start. */
function ensureVectorCopies(owner: pg.ClientConfig): Promise<string | undefined> {
  return withOwnerClient(owner, async (client) => {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [SETUP_LOCK]);
    const { rows } = await client.query<{ state: string }>(
      "select ensure_vector_copies() as state",
    );
    await client.query("commit");
    return rows[0]?.state;
  });
}

const DEADLOCK = "40P01";
const TRIES_MAX = 5;

/** Begins an epoch if the history has changed. If several nodes start at once, a node may have to retry. */
async function presentEpoch(client: pg.Client): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await client.query("select present_epoch()");
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== DEADLOCK || tried === TRIES_MAX) throw error;
    }
  }
}

/** pg prefers the parts of a connection string over a given user, so a string is not allowed. */
function assertNoUrl(config: pg.ClientConfig): pg.ClientConfig {
  const { connectionString, ...parts } = config;
  if (connectionString === undefined) return parts;
  throw new Error("Give the parts of the connection, not its URL.");
}
