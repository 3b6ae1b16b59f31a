import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { type Insertable, type Selectable, sql, type UpdateObject } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import { type Headers, maskHeaders } from "./header.ts";
import type { Webhook } from "./webhook.ts";

type Table = Tables["webhooks"];

/** All columns except the signing secrets and those that only the sender needs. */
const COLUMNS = [
  "id",
  "name",
  "url",
  "events",
  "environments",
  "filter",
  "hears_audit",
  "headers",
  "previous_secret_until",
  "format",
  "retries",
  "retry_strategy",
  "retry_max_delay_ms",
  "timeout_ms",
  "max_per_second",
  "status",
  "paused_because",
  "paused_at",
  "consecutive_failures",
  "revision",
  "saved_by",
  "created_by",
  "created_at",
  "updated_at",
] as const;
const HAS_SECRET = sql<boolean>`secret is not null`.as("has_secret");
const HAS_PLACE = sql<boolean>`place_xid is not null`.as("has_place");

type Row = Pick<Selectable<Table>, (typeof COLUMNS)[number]> & {
  readonly has_secret: boolean;
  readonly has_place: boolean;
};

export async function insert(tx: Tx, row: Insertable<Table>): Promise<Webhook> {
  return toWebhook(
    await tx
      .insertInto("webhooks")
      .values(row)
      .returning([...COLUMNS, HAS_SECRET, HAS_PLACE])
      .executeTakeFirstOrThrow(),
  );
}

export async function get(tx: Tx, id: string): Promise<Webhook> {
  return assertFound(await byId(tx, id).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<Webhook> {
  return assertFound(await byId(tx, id).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  id: string,
  change: UpdateObject<Tables, "webhooks">,
): Promise<Webhook> {
  return assertFound(
    await tx
      .updateTable("webhooks")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returning([...COLUMNS, HAS_SECRET, HAS_PLACE])
      .executeTakeFirst(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Resets the failure count. The revision stays the same, because the webhook itself did not change. */
export async function resetFailures(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({ consecutive_failures: 0 })
    .where("id", "=", id)
    .where("consecutive_failures", ">", 0)
    .execute();
}

/** Serializes the creation of webhooks in this workspace, so that the limit holds. */
export async function lockCount(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended('webhooks of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
}

/** Lists webhooks, newest first. */
export async function list(
  tx: Tx,
  page: { readonly before: string; readonly limit: number },
): Promise<Webhook[]> {
  const rows = await tx
    .selectFrom("webhooks")
    .select([...COLUMNS, HAS_SECRET, HAS_PLACE])
    .where("id", "<", page.before)
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
  return rows.map(toWebhook);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("webhooks")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

const SECRET_COLUMNS = [
  "headers",
  "secret",
  "previous_secret",
  "previous_secret_until",
  "saved_by",
  "permissions",
] as const;

/** Reads the secret columns separately, so that they cannot become part of a response or event. */
export async function getSecretColumns(
  tx: Tx,
  id: string,
): Promise<
  Omit<Pick<Selectable<Table>, (typeof SECRET_COLUMNS)[number]>, "headers"> & { headers: Headers }
> {
  const row = await tx
    .selectFrom("webhooks")
    .select(SECRET_COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return { ...row, headers: row.headers as Headers };
}

function byId(tx: Tx, id: string) {
  return tx
    .selectFrom("webhooks")
    .select([...COLUMNS, HAS_SECRET, HAS_PLACE])
    .where("id", "=", id);
}

function assertFound(row: Row | undefined): Webhook {
  if (!row) throw new Failure(NotFound);
  return toWebhook(row);
}

/** Converts a row; only this domain writes its text columns, after validation. */
function toWebhook(row: Row): Webhook {
  const retryStrategy = row.retry_strategy as Webhook["retryStrategy"];
  const status = row.status as Webhook["status"];
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    environments: row.environments as EnvironmentName[] | null,
    filter: row.filter as Webhook["filter"],
    headers: maskHeaders(row.headers as Headers),
    hasSecret: row.has_secret,
    hearsAudit: row.hears_audit,
    previousSecretExpiresAt: row.previous_secret_until,
    format: row.format as Webhook["format"],
    retries: row.retries,
    retryStrategy,
    retry_strategy: retryStrategy,
    retryMaxDelayMs: row.retry_max_delay_ms,
    retry_max_delay_ms: row.retry_max_delay_ms,
    timeoutMs: row.timeout_ms,
    timeout_ms: row.timeout_ms,
    maxPerSecond: row.max_per_second,
    max_per_second: row.max_per_second,
    status,
    pausedBecause: row.paused_because,
    pausedAt: row.paused_at,
    catchingUp: status === "active" && row.has_place,
    consecutiveFailures: row.consecutive_failures,
    savedBy: row.saved_by,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

/** Webhooks that act in the name of a member. */
export const unattendedWebhooks: UnattendedWork = {
  kind: "webhook",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select id, name, null as environment from webhooks where saved_by = $1 order by id limit $2`;
