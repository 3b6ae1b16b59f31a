import type pg from "pg";
import type { MasterKey } from "../crypto.ts";
import { StartRefused } from "../start-refused.ts";
import { newWorkspaceKey } from "../id.ts";
import { passesKeyCheck, sealKeyCheck } from "./key-check.ts";
import { migrate } from "./migrate.ts";
import { withClient } from "./owner.ts";
import { ensureLogins, type Passwords } from "./roles.ts";

export interface PreparedDatabase {
  readonly app: pg.ClientConfig;
  readonly system: pg.ClientConfig;
  readonly sql: pg.ClientConfig;
}

/** As the owner, at every start: schema, login roles, and whether this is still our database. */
export async function prepareDatabase(
  owner: pg.ClientConfig,
  masterKey: MasterKey,
): Promise<PreparedDatabase> {
  await migrate(owner);
  await ensureInstallation(owner, masterKey);
  const logins = loginsOf(masterKey);
  const names = await ensureLogins(owner, logins);
  return {
    app: { ...withoutUrl(owner), user: names.app, password: logins.app },
    system: { ...withoutUrl(owner), user: names.system, password: logins.system },
    sql: { ...withoutUrl(owner), user: names.sql, password: logins.sql },
  };
}

/** The passwords of the login roles, which every node derives for itself. */
export function loginsOf(masterKey: MasterKey): Passwords {
  return {
    app: masterKey.derive("database role app").toString("base64url"),
    system: masterKey.derive("database role system").toString("base64url"),
    sql: masterKey.derive("database role sql").toString("base64url"),
  };
}

async function ensureInstallation(owner: pg.ClientConfig, masterKey: MasterKey): Promise<void> {
  await withClient(owner, async (client) => {
    await client.query(
      `insert into installation (key_check, cluster, home_workspace_id, created_at)
       select $1, system_identifier::text, $2, now() from pg_control_system()
       on conflict (the_only_one) do nothing`,
      [sealKeyCheck(masterKey), newWorkspaceKey()],
    );
    const { rows } = await client.query<{ key_check: Buffer }>(
      "select key_check from installation",
    );
    if (!passesKeyCheck(masterKey, rows[0]?.key_check ?? Buffer.alloc(0))) {
      throw new StartRefused(
        "The master key is not the one that this database was made with. " +
          "Set MILLRACE_MASTER_KEY, or bring back the file master.key of its data folder.",
      );
    }
    // Another cluster counts its transactions anew: what is logged from now on comes after all that
    // the restored log holds, whatever the numbers.
    await client.query(
      `update installation set epoch = epoch + 1, cluster = system_identifier::text
         from pg_control_system() where cluster <> system_identifier::text`,
    );
  });
}

/** pg lets the parts of a connection string win over a given user, so they are taken apart here. */
function withoutUrl(config: pg.ClientConfig): pg.ClientConfig {
  const { connectionString, ...parts } = config;
  if (connectionString === undefined) return parts;
  throw new Error("Give the parts of the connection, not its URL.");
}
