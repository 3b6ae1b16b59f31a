import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";
import type { SsoConfiguration } from "./settings/configuration.ts";
import type { Trial } from "./trial/trial.ts";

/** The number of expired rows that one login deletes. */
const PRUNE_ROWS_MAX = 500;

export type StoredConfiguration = SsoConfiguration & {
  /** The owner who set it up; null for a configuration from a release in which other roles could. */
  readonly setUpBy: string | null;
  readonly clientSecret: Buffer | null;
  /** The last test login of the current configuration. */
  readonly trial: Trial | null;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

type Row = Omit<Selectable<Tables["sso_configurations"]>, "workspace_id">;

export async function find(tx: Tx): Promise<StoredConfiguration | undefined> {
  const row = await tx.selectFrom("sso_configurations").selectAll().executeTakeFirst();
  return row && toStoredConfiguration(row);
}

/** Locks the configuration until the transaction ends. */
export async function lock(tx: Tx): Promise<StoredConfiguration | undefined> {
  const row = await tx.selectFrom("sso_configurations").selectAll().forUpdate().executeTakeFirst();
  return row && toStoredConfiguration(row);
}

export async function upsertConfiguration(
  tx: Tx,
  configuration: SsoConfiguration & { readonly setUpBy: string },
  { clientSecret, trial }: Pick<StoredConfiguration, "clientSecret" | "trial">,
  now: Date,
): Promise<StoredConfiguration> {
  const values = {
    protocol: configuration.protocol,
    provider: JSON.stringify(configuration.provider),
    client_secret: clientSecret,
    jit_provisioning: configuration.jitProvisioning,
    default_role: configuration.defaultRole,
    enforce_sso: configuration.enforceSSO,
    set_up_by: configuration.setUpBy,
    test: trial && JSON.stringify(trial),
    test_started_by: trial?.startedBy ?? null,
    updated_at: now,
  };
  const row = await tx
    .insertInto("sso_configurations")
    .values({ ...values, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column("workspace_id")
        .doUpdateSet({ ...values, revision: sql`sso_configurations.revision + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return toStoredConfiguration(row);
}

/** Requires single sign-on, or no longer. */
export async function setEnforced(
  tx: Tx,
  isEnforced: boolean,
  now: Date,
): Promise<StoredConfiguration> {
  const row = await tx
    .updateTable("sso_configurations")
    .set({ enforce_sso: isEnforced, updated_at: now, revision: sql`revision + 1` })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toStoredConfiguration(row);
}

/** Stores the result of a test login, unless the configuration has changed. */
export async function putTrial(tx: Tx, trial: Trial, revision: number): Promise<void> {
  await tx
    .updateTable("sso_configurations")
    .set({ test: JSON.stringify(trial), test_started_by: trial.startedBy })
    .where("revision", "=", revision)
    .execute();
}

export async function remove(tx: Tx): Promise<void> {
  await tx.deleteFrom("sso_configurations").execute();
}

const BY_SLUG = `
  select w.key, w.slug, c.protocol, c.provider, c.client_secret, c.jit_provisioning, c.default_role,
         c.enforce_sso, c.set_up_by, c.test, c.test_started_by, c.revision, c.created_at, c.updated_at
    from sso_configurations c join workspaces w on w.key = c.workspace_id
   where w.slug = $1`;

export type WorkspaceSso = StoredConfiguration & { readonly key: string; readonly slug: string };

/** Runs as the system, because the caller is not authenticated before the login. */
export async function findBySlug(db: Database, slug: string): Promise<WorkspaceSso | undefined> {
  const [row] = await db.system<Row & { key: string; slug: string }>(BY_SLUG, [slug]);
  return row && { ...toStoredConfiguration(row), key: row.key, slug: row.slug };
}

const SLUGS = `
  select w.slug from sso_configurations c join workspaces w on w.key = c.workspace_id
   order by w.slug = $1 desc limit 2`;

/** The named workspace if it has single sign-on, or the only workspace that has it. */
export async function findEntry(db: Database, slug: string): Promise<string | undefined> {
  const [first, ...others] = await db.system<{ slug: string }>(SLUGS, [slug]);
  return first && (first.slug === slug || others.length === 0) ? first.slug : undefined;
}

export interface RequestRow {
  readonly browser_hash: Buffer;
  readonly details: Buffer;
}

const REQUEST = `
  select browser_hash, details from sso_requests r join workspaces w on w.key = r.workspace_id
   where r.state_hash = $1 and w.key = $2 and r.expires_at > $3`;

export async function findRequest(
  db: Database,
  stateHash: Buffer,
  workspace: string,
  now: Date,
): Promise<RequestRow | undefined> {
  return (
    await db.system<RequestRow & { [column: string]: unknown }>(REQUEST, [
      stateHash,
      workspace,
      now,
    ])
  )[0];
}

/** Inserts a login request, and deletes some that expired. */
export async function insertRequest(
  tx: Tx,
  row: { state_hash: Buffer; browser_hash: Buffer; details: Buffer; expires_at: Date },
  now: Date,
): Promise<void> {
  await sql`
    delete from sso_requests where state_hash in
      (select state_hash from sso_requests where expires_at < ${now}
        limit ${PRUNE_ROWS_MAX} for update skip locked)`.execute(tx);
  await tx.insertInto("sso_requests").values(row).execute();
}

/** Deletes the login request; false if it was already consumed. */
export async function consumeRequest(tx: Tx, stateHash: Buffer): Promise<boolean> {
  const deleted = await tx
    .deleteFrom("sso_requests")
    .where("state_hash", "=", stateHash)
    .returning("state_hash")
    .executeTakeFirst();
  return deleted !== undefined;
}

/** Records the use of an assertion, and deletes some expired ones; false if it was already used. */
export async function consumeAssertion(
  tx: Tx,
  assertion: { readonly idHash: Buffer; readonly expiresAt: Date; readonly now: Date },
): Promise<boolean> {
  await sql`
    delete from sso_assertions where id_hash in
      (select id_hash from sso_assertions where expires_at < ${assertion.now}
        limit ${PRUNE_ROWS_MAX} for update skip locked)`.execute(tx);
  const inserted = await tx
    .insertInto("sso_assertions")
    .values({ id_hash: assertion.idHash, expires_at: assertion.expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id_hash")
    .executeTakeFirst();
  return inserted !== undefined;
}

function toStoredConfiguration(row: Row): StoredConfiguration {
  const rules = {
    jitProvisioning: row.jit_provisioning,
    defaultRole: row.default_role,
    enforceSSO: row.enforce_sso,
  };
  // It was validated when it was stored.
  const configuration = {
    ...rules,
    protocol: row.protocol,
    provider: row.provider,
  } as unknown as SsoConfiguration;
  return {
    ...configuration,
    setUpBy: row.set_up_by,
    clientSecret: row.client_secret,
    trial: row.test as Trial | null,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
