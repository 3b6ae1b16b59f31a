import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, inject } from "vitest";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { roleNames } from "#kernel/db/setup/roles.ts";
import { TEST_KEY_TEXT } from "#kernel/testing/database.ts";
import { takeDatabase } from "#kernel/testing/database-copy.ts";

/** A database that several nodes can share. */
export interface ServerDatabase {
  /** The settings of a node that uses it. */
  readonly env: Record<string, string>;
  /** One statement as its owner. */
  rows(text: string, values?: unknown[]): Promise<any[]>;
}

/**
 * Registers hooks that give each test of a file a database on the test server: by default one that a node was started
 * on before.
 */
export function useServerDatabase({ isEmpty = false } = {}): ServerDatabase {
  let name: string;
  let owner: pg.Pool;
  const env: Record<string, string> = {};

  beforeEach(async () => {
    const server = inject("database").owner;
    name = isEmpty ? await makeEmpty() : await takeDatabase();
    owner = new pg.Pool({ ...server, database: name, max: 2 });
    // A pool reports its end before its connections are closed, and dropping the database breaks those.
    owner.on("error", () => undefined);
    owner.on("connect", (client) => client.on("error", () => undefined));
    Object.assign(env, {
      DATABASE_URL: urlOf({ ...server, database: name }),
      MILLRACE_MASTER_KEY: TEST_KEY_TEXT,
      MILLRACE_DATABASE_POOL: "8",
    });
  });

  afterEach(async () => {
    await owner.end();
    await withOwnerClient(inject("database").owner, async (client) => {
      await client.query(`drop database ${name} with (force)`);
      for (const role of Object.values(roleNames(name)))
        await client.query(`drop role if exists ${role}`);
    });
  });

  return {
    env,
    rows: async (text, values = []) => (await owner.query(text, values)).rows,
  };
}

async function makeEmpty(): Promise<string> {
  const name = `millrace_nodes_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  await withOwnerClient(inject("database").owner, (client) =>
    client.query(`create database ${name}`),
  );
  return name;
}

/** A Unix socket folder can only be in the query of a URL. */
function urlOf({ host = "", port = 5432, user, password, database }: pg.ClientConfig): string {
  const login = `${encodeURIComponent(user ?? "")}:${encodeURIComponent(String(password ?? ""))}`;
  return host.startsWith("/")
    ? `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${login}@${host}:${port}/${database}`;
}
