import { type Insertable, type Selectable, sql, type UpdateObject } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import { type Headers, maskHeaders } from "./header.ts";
import type { Webhook } from "./webhook.ts";

type Table = Tables["webhooks"];

/** Everything but the signing secrets and what only the sending of deliveries needs. */
const SHOWN = [
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
  "created_by",
  "created_at",
  "updated_at",
] as const;
const HAS_SECRET = sql<boolean>`secret is not null`.as("has_secret");
const HAS_PLACE = sql<boolean>`place_xid is not null`.as("has_place");

type Row = Pick<Selectable<Table>, (typeof SHOWN)[number]> & {
  readonly has_secret: boolean;
  readonly has_place: boolean;
};

export async function insert(tx: Tx, row: Insertable<Table>): Promise<Webhook> {
  return toWebhook(
    await tx
      .insertInto("webhooks")
      .values(row)
      .returning([...SHOWN, HAS_SECRET, HAS_PLACE])
      .executeTakeFirstOrThrow(),
  );
}

export async function get(tx: Tx, id: string): Promise<Webhook> {
  return found(await byId(tx, id).executeTakeFirst());
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Webhook> {
  return found(await byId(tx, id).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  id: string,
  change: UpdateObject<Tables, "webhooks">,
): Promise<Webhook> {
  return found(
    await tx
      .updateTable("webhooks")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returning([...SHOWN, HAS_SECRET, HAS_PLACE])
      .executeTakeFirst(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Its endpoint is well. Not a change that anybody made: the revision stays. */
export async function forgetFailures(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({ consecutive_failures: 0 })
    .where("id", "=", id)
    .where("consecutive_failures", ">", 0)
    .execute();
}

/** Makes those who create webhooks in this workspace take turns, so that they can be counted. */
export async function lockCount(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended('webhooks of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
}

/** Newest first. */
export async function list(
  tx: Tx,
  page: { readonly before: string; readonly limit: number },
): Promise<Webhook[]> {
  const rows = await tx
    .selectFrom("webhooks")
    .select([...SHOWN, HAS_SECRET, HAS_PLACE])
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

const UNSHOWN = ["headers", "secret", "previous_secret", "previous_secret_until"] as const;

/** What is used and not shown: kept apart, so that it can't get into an answer or event. */
export async function unshown(
  tx: Tx,
  id: string,
): Promise<
  Omit<Pick<Selectable<Table>, (typeof UNSHOWN)[number]>, "headers"> & { headers: Headers }
> {
  const row = await tx
    .selectFrom("webhooks")
    .select(UNSHOWN)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return { ...row, headers: row.headers as Headers };
}

function byId(tx: Tx, id: string) {
  return tx
    .selectFrom("webhooks")
    .select([...SHOWN, HAS_SECRET, HAS_PLACE])
    .where("id", "=", id);
}

function found(row: Row | undefined): Webhook {
  if (!row) throw new Failure(NotFound);
  return toWebhook(row);
}

/** What the table has as text, only this domain writes, and only after it was checked. */
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
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
