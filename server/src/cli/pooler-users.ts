import { loadMasterKey } from "#kernel/access/crypto.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { loginPasswords } from "#kernel/db/setup/prepare-database.ts";
import { buildVerifiers } from "#kernel/db/setup/roles.ts";
import { readSettings } from "#kernel/settings.ts";
import { withDatabase } from "./database.ts";

/**
 * `millrace pooler-users`: prints the logins of this database in PgBouncer's `auth_file` format. They are PostgreSQL's
 * stored verifiers and give no access by themselves.
 */
export async function runPoolerUsers(env: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = readSettings(env);
  const masterKey = loadMasterKey(settings.masterKey, settings.dataDir);
  return withDatabase(settings, async (owner) => {
    const { rows } = await withOwnerClient(owner, (client) =>
      client.query<{ name: string }>("select current_database() as name"),
    );
    const verifiers = buildVerifiers(rows[0]?.name ?? "", loginPasswords(masterKey));
    return [...verifiers].map(([role, verifier]) => `${quoteUser(role)} ${quoteUser(verifier)}`);
  });
}

/** PgBouncer escapes a quotation mark by doubling it. */
function quoteUser(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
