import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { open, seal } from "../access/crypto.ts";
import { newId, newWorkspaceKey } from "../schema/id.ts";
import { TEST_KEY } from "../testing/database.ts";
import { WorkspaceKeys } from "../access/workspace-keys.ts";
import { Database } from "./database.ts";
import { sealKeyCheck } from "./setup/key-check.ts";
import { withOwnerClient } from "./setup/owner-connection.ts";
import {
  loginPasswords,
  prepareDatabase,
  type PreparedDatabase,
} from "./setup/prepare-database.ts";
import { ensureGroups, ensureLogins } from "./setup/roles.ts";

const FOLDER = join(import.meta.dirname, "../../../migrations");
const FIRST_RELEASE_LAST = "0007_access.sql";
const AT = "2026-01-02T03:04:05.678Z";
const VALUE = "what the first release sealed";

/** Tables of the first release that contain rows, with the sort order for the comparison. */
const KEPT = {
  installation: "created_at",
  workspaces: "slug",
  workspace_keys: "workspace_id",
  events: "epoch, xid, seq",
  readers: "name",
  jobs: "id",
  users: "id",
  memberships: "workspace_id",
  roles: "id",
  secrets: "workspace_id, name",
  api_tokens: "id",
} as const;

const name = `millrace_upgrade_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
const owner: pg.ClientConfig = { ...inject("database").owner, database: name };
const [here, there] = [newWorkspaceKey(), newWorkspaceKey()];
const [user, dataKey] = [newId("usr"), Buffer.alloc(32, 9)];
const contextOf = (workspace: string): string => `secret KEY of ${workspace}`;

let before: Record<string, string[]>;
let prepared: PreparedDatabase;
beforeAll(async () => {
  await withOwnerClient(inject("database").owner, (client) =>
    client.query(`create database ${name}`),
  );
  await withOwnerClient(owner, async (client) => {
    await installFirstRelease(client);
    for (const workspace of [here, there]) await fill(client, workspace);
    before = await contents(client);
  });
  prepared = await prepareDatabase(owner, TEST_KEY);
});
afterAll(async () => {
  await withOwnerClient(inject("database").owner, async (client) => {
    await client.query(`drop database ${name} with (force)`);
    for (const kind of ["app", "system", "sql", "door"]) {
      await client.query(`drop role if exists millrace_${kind}_${name}`);
    }
  });
});

test("the newest migrations keep all data of the first release unchanged", async () => {
  await withOwnerClient(owner, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select name from migrations order by name",
    );
    expect(rows.map((row) => row.name)).toEqual(migrations());
    expect(migrations().at(-1)).not.toBe(FIRST_RELEASE_LAST);
    expect(await contents(client)).toEqual(before);
  });
  for (const table of Object.keys(KEPT)) expect([table, before[table]]).not.toEqual([table, []]);
});

test("the application reads the data in its workspace only, and can write", async () => {
  const db = new Database({ ...prepared, poolMax: 1, onError: () => undefined });
  const keys = new WorkspaceKeys(db, TEST_KEY);
  try {
    for (const workspace of [here, there]) {
      const partition = { workspace, environment: "production" } as const;
      const seen = await db.read(partition, async (tx) => ({
        workspaces: (await sql<{ key: string }>`select key from workspaces`.execute(tx)).rows,
        events: (await sql`select distinct workspace_id, type from events`.execute(tx)).rows,
        secrets: (await sql<{ sealed: Buffer }>`select sealed from secrets`.execute(tx)).rows,
        members: (await sql`select user_id, roles from memberships`.execute(tx)).rows,
        accounts: (await sql`select email, status from users`.execute(tx)).rows,
      }));
      const key = await keys.of(workspace);
      const secrets = seen.secrets.map(({ sealed }) => open(key, sealed, contextOf(workspace)));
      expect({ ...seen, secrets: secrets.map(String) }).toEqual({
        workspaces: [{ key: workspace }],
        events: [{ workspace_id: workspace, type: "note.created" }],
        secrets: [VALUE],
        members: [{ user_id: user, roles: ["owner"] }],
        accounts: [{ email: "ada@example.com", status: "active" }],
      });
      // A new event sorts after the old ones, and a current table accepts a row.
      await db.write(partition, async (session) => {
        await session.send(...eventOf("note.changed"));
        await session.send(
          `insert into topic_counts (topic, events, last_event_at) values ('note', 3, $1)`,
          [AT],
        );
      });
      const types = await db.read(partition, async (tx) => {
        const { rows } = await sql<{ type: string }>`
          select type from events order by epoch, xid, seq`.execute(tx);
        return rows.map(({ type }) => type);
      });
      expect(types).toEqual(["note.created", "note.created", "note.changed"]);
    }
  } finally {
    await db.close();
  }
});

test("owners of schemas from an earlier release have no grant on shared objects and still work", async () => {
  const earlier = { ...owner, database: `${name}_schemas` };
  const space = `tables_p_${here.replaceAll("-", "")}`;
  await withOwnerClient(owner, (client) => client.query(`create database ${earlier.database}`));
  try {
    await withOwnerClient(earlier, (client) => install(client, "0035_order.sql"));
    const names = await ensureLogins(earlier, loginPasswords(TEST_KEY));
    const app = { ...earlier, user: names.app, password: loginPasswords(TEST_KEY).app };
    const inSchema = (work: (client: pg.Client) => Promise<unknown>) =>
      withOwnerClient(app, async (client) => {
        await client.query("begin read write");
        await client.query(
          `select set_config('millrace.workspace', $1, true), set_config('millrace.environment', 'production', true)`,
          [here],
        );
        await work(client);
        await client.query("commit");
      });
    await inSchema(async (client) => {
      await client.query("select make_user_schema()");
      await client.query(`set local role ${space.replace("tables_", "millrace_o")}`);
      await client.query("select change_structure($1)", [
        `create table ${space}.kept (id text default public.new_record_id())`,
      ]);
    });
    await prepareDatabase(earlier, TEST_KEY);
    await withOwnerClient(earlier, async (client) => {
      const grants = `select from pg_proc p, aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
                       where rolname ~ '^millrace_[or]._'`;
      expect((await client.query(grants)).rowCount).toBe(0);
    });
    await inSchema(async (client) => {
      const ownerRole = space.replace("tables_", "millrace_o");
      const change = "select change_structure($1, $2)";
      await client.query(change, [ownerRole, `alter table ${space}.kept add column a text`]);
      const fill = "select change_records($1, $2, $3, 'somebody', now()) as changed";
      const text = "insert into kept (a) values ('x')";
      const { rows } = await client.query(fill, [ownerRole, space, text]);
      expect(rows).toEqual([{ changed: "1" }]);
    });
  } finally {
    await withOwnerClient(inject("database").owner, async (client) => {
      await client.query(`drop database ${earlier.database} with (force)`);
      for (const kind of ["app", "system", "sql", "door"]) {
        await client.query(`drop role if exists millrace_${kind}_${earlier.database}`);
      }
    });
  }
});

test("accounts created by single sign-on belong to their workspace, and none is verified", async () => {
  const earlier = { ...owner, database: `${name}_accounts` };
  await withOwnerClient(owner, (client) => client.query(`create database ${earlier.database}`));
  try {
    await withOwnerClient(earlier, async (client) => {
      await install(client, "0035_order.sql");
      await client.query(`
        insert into workspaces (key, slug, name, created_at, updated_at)
        select key, slug, slug, now(), now() from (values ('${here}'::uuid, 'a'), ('${there}', 'b')) w (key, slug);
        insert into users (id, email, name, password_hash, created_at, updated_at)
        select id, id || '@example.com', id, hash, now(), now()
          from (values ('made', null), ('invited', 'a hash'), ('adopted', null), ('taken', 'a hash')) u (id, hash);
        insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
        select '${here}'::uuid, id, '{viewer}'::text[], now(), now() from users
        union all select '${there}'::uuid, 'adopted', '{viewer}', now(), now();
        insert into sso_members (workspace_id, user_id, adopted, created_at)
        select '${here}'::uuid, id, id <> 'invited', now() from users`);
      await client.query(readFileSync(join(FOLDER, "0036_verified_addresses.sql"), "utf8"));
      const { rows } = await client.query(`
        select id, managed_by, email_verified_at as verified, sso_only
          from users join sso_members on user_id = id order by id`);
      const own = { managed_by: null, verified: null };
      expect(rows).toEqual([
        { ...own, id: "adopted", sso_only: true },
        { ...own, id: "invited", sso_only: false },
        { ...own, id: "made", managed_by: here, sso_only: false },
        { ...own, id: "taken", sso_only: true },
      ]);
    });
  } finally {
    await withOwnerClient(inject("database").owner, (client) =>
      client.query(`drop database ${earlier.database} with (force)`),
    );
  }
});

test("a second start changes nothing", async () => {
  await withOwnerClient(owner, async (client) => {
    const applied = "select name, checksum, applied_at from migrations order by name";
    const { rows } = await client.query(applied);
    await prepareDatabase(owner, TEST_KEY);
    expect((await client.query(applied)).rows).toEqual(rows);
  });
});

function migrations(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".sql"))
    .toSorted();
}

/** Runs the migrations of the first release, like its `migrate`. */
async function install(client: pg.Client, last: string): Promise<void> {
  await ensureGroups(client);
  await client.query(
    `create table migrations (
       name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
  );
  for (const file of migrations().filter((each) => each <= last)) {
    const text = readFileSync(join(FOLDER, file), "utf8");
    await client.query(text);
    const checksum = createHash("sha256").update(text).digest("hex");
    await client.query("insert into migrations (name, checksum) values ($1, $2)", [file, checksum]);
  }
}

/** Writes the rows of the first start. */
async function installFirstRelease(client: pg.Client): Promise<void> {
  await client.query("begin");
  await install(client, FIRST_RELEASE_LAST);
  await client.query(
    `insert into installation (key_check, cluster, home_workspace_id, created_at)
     select $1, system_identifier::text, $2, $3 from pg_control_system()`,
    [sealKeyCheck(TEST_KEY), here, AT],
  );
  await client.query(
    `insert into users (id, email, name, password_hash, created_at, updated_at)
     values ($1, 'ada@example.com', 'Ada', 'a hash', $2, $2)`,
    [user, AT],
  );
  await client.query("insert into readers values ('old reader', 1, '3', 1, $1)", [AT]);
  await client.query("commit");
}

/** Creates two events, a secret and one row in each other workspace table. */
async function fill(client: pg.Client, workspace: string): Promise<void> {
  await client.query("begin");
  await client.query(
    `select set_config('millrace.workspace', $1, true), set_config('millrace.environment', 'production', true)`,
    [workspace],
  );
  const rows: [text: string, values: unknown[]][] = [
    [
      "insert into workspaces (slug, name, created_at, updated_at) values ($1, 'Ours', $2, $2)",
      [`ours-${workspace}`, AT],
    ],
    [
      "insert into workspace_keys (wrapped, created_at) values ($1, $2)",
      [TEST_KEY.wrap(dataKey, workspace), AT],
    ],
    [
      `insert into memberships (user_id, roles, created_at, updated_at) values ($1, '{owner}', $2, $2)`,
      [user, AT],
    ],
    [
      `insert into roles (id, name, description, permissions, created_at, updated_at)
       values ($1, 'Reader', '', '{audit:read}', $2, $2)`,
      [newId("role"), AT],
    ],
    [
      `insert into secrets (name, description, sealed, created_at, updated_at) values ('KEY', '', $1, $2, $2)`,
      [seal(dataKey, Buffer.from(VALUE), contextOf(workspace)), AT],
    ],
    [
      `insert into api_tokens (id, user_id, name, token_hash, scopes, created_at)
       values ($1, $2, 'Nightly', $3, '{audit:read}', $4)`,
      [newId("tok"), user, Buffer.from(workspace), AT],
    ],
    [
      `insert into jobs (id, kind, payload, due_at, correlation_id, created_at)
       values ($1, 'notes.tidy', '{"n": 1}', $2, 'cor_1', $2)`,
      [newId("job"), AT],
    ],
    eventOf("note.created"),
    eventOf("note.created"),
  ];
  for (const [text, values] of rows) await client.query(text, values);
  await client.query("commit");
}

function eventOf(type: string): [text: string, values: unknown[]] {
  return [
    `insert into events (epoch, topic, type, actor_id, actor_type, actor_name, resource_type,
                         resource_id, correlation_id, created_at, data)
     values (1, 'note', $1, $2, 'user', 'Ada', 'note', 'note_1', 'cor_1', $3, '{"title": "x"}')`,
    [type, user, AT],
  ];
}

/** Each row with the columns of the first release. Newer columns do not change its data. */
async function contents(client: pg.Client): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [table, order] of Object.entries(KEPT)) {
    columns[table] ??= await columnsOf(client, table);
    const { rows } = await client.query<{ row: string }>(
      `select row(${columns[table].join(", ")})::text as row from ${table} order by ${order}`,
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

const columns: Record<string, string[]> = {};

async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped
        -- Which cluster it is, is found anew at each start.
        and (attrelid, attname) <> ('installation'::regclass, 'cluster') order by attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}
