import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { StartupError } from "../../startup-error.ts";
import { SETUP_LOCK, withOwnerClient } from "./owner-connection.ts";
import { ensureGroups } from "./roles.ts";

const FOLDER = join(import.meta.dirname, "../../../../migrations");

/**
 * Migrates the database to the newest schema. All pending migrations run in one transaction under a lock, so
 * nodes can start at the same time and a failure leaves the old schema intact.
 */
export async function migrate(owner: pg.ClientConfig): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    await requireVersion(client);
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [SETUP_LOCK]);
    await ensureGroups(client);
    await client.query(
      `create table if not exists migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await client.query<{ name: string; checksum: string }>(
      "select name, checksum from migrations",
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.checksum]));
    for (const { name, text, checksum } of readMigrations()) {
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

function readMigrations(): { name: string; text: string; checksum: string }[] {
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
    throw new StartupError(
      `Millrace requires PostgreSQL 15 or later. This server runs ${version / 10_000}.`,
    );
  }
}
