/**
 * Finds the tables of a workspace in the database catalogue: every table whose rows contain a workspace key. New
 * tables of migrations are included automatically; only exceptions are listed.
 */
import pg from "pg";

/** A platform table whose rows belong to workspaces. */
export interface WorkspaceTable {
  readonly name: string;
  /** The exported columns, without the workspace key and computed columns. */
  readonly columns: readonly string[];
  /** The column with the workspace key. */
  readonly keyColumn: string;
  /** The identity column. */
  readonly identity: string | undefined;
  /** Imported last, in the single transaction that makes the workspace visible. */
  readonly isLate: boolean;
  /** The SQL condition for rows that start work as soon as they exist. Undefined if there are none. */
  readonly open: string | undefined;
}

export interface ForeignKey {
  readonly child: string;
  readonly parent: string;
  readonly columns: readonly string[];
  readonly parentColumns: readonly string[];
}

export interface Catalogue {
  /** In a valid insertion order. */
  readonly tables: readonly WorkspaceTable[];
  readonly foreignKeys: readonly ForeignKey[];
}

/**
 * Excluded tables: data of the installation or temporary data, and derived data. Dead letters belong to the readers of
 * an installation.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  // Tokens with user consent, valid for one installation only and never shown.
  "connector_grants",
  "exports",
  "export_chunks",
  "held_rows",
  "live_texts",
  "parked_events",
  "presence",
  "sso_assertions",
  "sso_requests",
  "thumbnails",
  "ticket_field_values",
  "workspace_exports",
  "workspace_imports",
  "workspace_keys",
]);

/** Tables of earlier archive versions, whose rows an import ignores. */
export const IGNORED: ReadonlySet<string> = new Set(["connector_grants"]);

const OPEN_RUN = "status not in ('completed', 'failed', 'cancelled')";
export const OF_OPEN_RUN = `run_id in (select id from runs where ${OPEN_RUN})`;

/** Rows that trigger automatic work. */
const OPEN: Readonly<Record<string, string>> = {
  connector_triggers: "true",
  deliveries: "due_at is not null",
  jobs: "true",
  mailbox_cursors: "true",
  mailboxes: "true",
  mails: "true",
  approval_decisions: OF_OPEN_RUN,
  run_approvals: OF_OPEN_RUN,
  run_calls: OF_OPEN_RUN,
  run_journal: OF_OPEN_RUN,
  run_waits: OF_OPEN_RUN,
  runs: OPEN_RUN,
  scheduled_jobs: "true",
  sla_clocks: "next_at is not null",
  trigger_holds: "true",
  webhook_recoveries: "true",
  webhooks: "true",
  workflow_deployments: "true",
  workflow_triggers: "true",
};

/** Tables that give access to users and anonymous callers, with everything that references them. */
const DOORS: readonly string[] = [
  "workspaces",
  "users",
  "app_embed_tokens",
  "app_publications",
  "calendar_feeds",
  "status_pages",
  "table_views",
  "test_endpoints",
  "workflows",
];

/** A trigger also fills them from other tables, so their content is replaced. */
export const MIRRORS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "tickets",
    ["incidents", "changes", "problems", "catalog_requests", "ticket_comments", "sla_clocks"],
  ],
]);

/** Rows that describe history and are signed, so they stay unchanged. */
export const SIGNED: ReadonlySet<string> = new Set(["events", "log_checkpoints"]);

/** Columns sealed with the data key, empty in an archive without it, and tables that are then excluded. */
export const SEALED_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ["connector_credentials", ["sealed"]],
  ["connector_triggers", ["sealed"]],
  ["connectors", ["sealed"]],
  ["log_signing_keys", ["sealed"]],
  ["sso_configurations", ["client_secret"]],
  ["webhooks", ["secret", "previous_secret", "previous_secret_until"]],
]);
export const SEALED_TABLES: ReadonlySet<string> = new Set([
  "log_checkpoints",
  "log_signing_keys",
  "secret_values",
  "secrets",
]);

/**
 * SQL replacements of columns. An archive contains the public key that verifies its checkpoints, and never the private
 * one, which could sign another history.
 */
export const REPLACED_COLUMNS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  [
    "log_signing_keys",
    {
      sealed: "null::bytea",
      last_checkpoint: `coalesce(last_checkpoint, (select max(c.number) from log_checkpoints c
        where c.workspace_id = log_signing_keys.workspace_id), 0)`,
    },
  ],
]);

/**
 * The jobs of a workspace, without the kernel's, whose e-mails are sealed with an installation key, and without
 * operator jobs, which write files of the host.
 */
export const WORKSPACE_JOB = /^(?!kernel\.|installation\.)[a-z_]+\.[a-z_]+$/;

/** Rows that are useless in another installation are excluded. */
export const KEPT_ROWS: ReadonlyMap<string, string> = new Map([
  ["blobs", "state = 'stored'"],
  ["jobs", `kind ~ '${WORKSPACE_JOB.source}' and failed_at is null`],
]);

const TABLES = `
  select c.relname as name,
         array_agg(a.attname::text order by a.attnum)
           filter (where a.attgenerated = '' and a.attname <> k.attname) as columns,
         k.attname::text as "keyColumn",
         max(a.attname::text) filter (where a.attidentity <> '') as identity
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute k on k.attrelid = c.oid and not k.attisdropped
     and k.attname = case c.relname when 'workspaces' then 'key' else 'workspace_id' end
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind = 'r' group by c.relname, k.attname order by c.relname`;

const FOREIGN_KEYS = `
  select child.relname as child, parent.relname as parent,
         array(select a.attname::text from unnest(f.conkey) with ordinality as k (n, i)
                 join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.n order by k.i) as columns,
         array(select a.attname::text from unnest(f.confkey) with ordinality as k (n, i)
                 join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.n order by k.i) as "parentColumns"
    from pg_constraint f
    join pg_class child on child.oid = f.conrelid
    join pg_class parent on parent.oid = f.confrelid
    join pg_namespace n on n.oid = child.relnamespace and n.nspname = 'public'
   where f.contype = 'f' order by 1, 2, f.conname`;

type FoundTable = Pick<WorkspaceTable, "name" | "columns" | "keyColumn"> & {
  readonly identity: string | null;
};

export async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const found = (await client.query<FoundTable>(TABLES)).rows.filter(
    ({ name }) => !LEFT_OUT.has(name),
  );
  const foreignKeys = (await client.query<ForeignKey>(FOREIGN_KEYS)).rows;
  const late = lateTables(foreignKeys);
  const tables = found.map((table) => ({
    ...table,
    identity: table.identity ?? undefined,
    isLate: late.has(table.name),
    open: OPEN[table.name],
  }));
  return { tables: inOrder(tables, foreignKeys), foreignKeys };
}

/** Everything that references an access table, directly or transitively. */
function lateTables(foreignKeys: readonly ForeignKey[]): ReadonlySet<string> {
  const late = new Set(DOORS);
  for (let size = -1; size !== late.size;) {
    size = late.size;
    for (const { child, parent } of foreignKeys) if (late.has(parent)) late.add(child);
  }
  return late;
}

/** Parents first, late tables last. */
function inOrder(
  tables: readonly WorkspaceTable[],
  foreignKeys: readonly ForeignKey[],
): WorkspaceTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<WorkspaceTable>();
  const visit = (table: WorkspaceTable): void => {
    if (ordered.has(table)) return;
    const parents = foreignKeys.filter(({ child }) => child === table.name);
    const before = [...parents.map(({ parent }) => parent), ...(MIRRORS.get(table.name) ?? [])];
    for (const name of before) {
      const parent = byName.get(name);
      if (parent && parent !== table) visit(parent);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table);
  return [...ordered].toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** The version of the schema: its last migration, and a hash of all migrations. */
export async function readSchemaVersion(
  client: pg.Client,
): Promise<{ readonly last: string; readonly sha256: string }> {
  const { rows } = await client.query<{ last: string; sha256: string }>(
    `select max(name) as last,
            encode(sha256(convert_to(string_agg(name || ' ' || checksum, E'\\n' order by name), 'UTF8')), 'hex') as sha256
       from migrations`,
  );
  const [row] = rows;
  if (!row) throw new Error("The database has no migrations.");
  return row;
}

/** The workspace row is the first late row; users are inserted after it. */
function rankOf({ name, isLate }: WorkspaceTable): number {
  if (!isLate) return 0;
  return name === "workspaces" ? 1 : 2;
}

export function quote(name: string): string {
  return pg.escapeIdentifier(name);
}
