import { type Insertable, type Selectable, sql, type UpdateObject } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import type { AuthFields } from "./auth.ts";
import type { Connector, DocumentInfo, Status } from "./connector.ts";
import type { DiscoveredAction } from "./openapi/discovered-action.ts";

type Table = Tables["connectors"];

/** Everything but the credentials and the state of the breaker. */
const SHOWN = [
  "id",
  "name",
  "type",
  "config",
  "auth",
  "document",
  "status",
  "status_reason",
  "status_changed_at",
  "revision",
  "created_by",
  "created_at",
  "updated_at",
] as const;
type Row = Pick<Selectable<Table>, (typeof SHOWN)[number]>;

export async function insert(tx: Tx, row: Insertable<Table>): Promise<Connector> {
  const inserted = tx.insertInto("connectors").values(row).returning(SHOWN);
  return toConnector(await inserted.executeTakeFirstOrThrow());
}

export async function get(tx: Tx, id: string): Promise<Connector> {
  return found(await byId(tx, id).executeTakeFirst());
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Connector> {
  return found(await byId(tx, id).forUpdate().executeTakeFirst());
}

/** A change that somebody made. */
export async function update(
  tx: Tx,
  id: string,
  change: UpdateObject<Tables, "connectors">,
): Promise<Connector> {
  const updated = tx
    .updateTable("connectors")
    .set(change)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .returning(SHOWN);
  return found(await updated.executeTakeFirst());
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("connectors").where("id", "=", id).execute();
}

/** Newest first. */
export async function list(
  tx: Tx,
  page: {
    readonly before: string;
    readonly limit: number;
    readonly type?: string;
    readonly status?: string;
  },
): Promise<Connector[]> {
  let query = tx.selectFrom("connectors").select(SHOWN).where("id", "<", page.before);
  if (page.type !== undefined) query = query.where("type", "=", page.type);
  if (page.status !== undefined) query = query.where("status", "=", page.status);
  const rows = await query.orderBy("id", "desc").limit(page.limit).execute();
  return rows.map(toConnector);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("connectors")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** Makes those who add connectors to this workspace take turns, so that they can be counted. */
export async function lockCount(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended('connectors of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
}

/** A connector with what is used and not shown. */
export interface Guarded {
  readonly connector: Connector;
  readonly sealed: Buffer | null;
  readonly retryAt: string | null;
}

export async function getGuarded(tx: Tx, id: string): Promise<Guarded> {
  const row = await tx
    .selectFrom("connectors")
    .select([...SHOWN, "sealed", "retry_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return { connector: found(row), sealed: row?.sealed ?? null, retryAt: row?.retry_at ?? null };
}

/** Puts these actions in the place of those that a connector had. */
export async function replaceActions(
  tx: Tx,
  connectorId: string,
  actions: readonly DiscoveredAction[],
): Promise<void> {
  await tx.deleteFrom("connector_actions").where("connector_id", "=", connectorId).execute();
  await sql`
    insert into connector_actions (connector_id, name, action)
    select ${connectorId}, one ->> 'name', one
      from jsonb_array_elements(${JSON.stringify(actions)}::jsonb) one`.execute(tx);
}

export async function getAction(
  tx: Tx,
  connectorId: string,
  name: string,
): Promise<DiscoveredAction | undefined> {
  const row = await tx
    .selectFrom("connector_actions")
    .select("action")
    .where("connector_id", "=", connectorId)
    .where("name", "=", name)
    .executeTakeFirst();
  // Only `replaceActions` writes them.
  return row?.action as DiscoveredAction | undefined;
}

/** By name, the next after one. */
export async function listActions(
  tx: Tx,
  connectorId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<DiscoveredAction[]> {
  const rows = await tx
    .selectFrom("connector_actions")
    .select("action")
    .where("connector_id", "=", connectorId)
    .where("name", ">", page.after)
    .orderBy("name")
    .limit(page.limit)
    .execute();
  return rows.map(({ action }) => action as unknown as DiscoveredAction);
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("connectors").select(SHOWN).where("id", "=", id);
}

function found(row: Row | undefined): Connector {
  if (!row) throw new Failure(NotFound);
  return toConnector(row);
}

/** What the table has as text and JSON, only this domain writes, and only after it was checked. */
export function toConnector(row: Row): Connector {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: row.config as Connector["config"],
    auth: row.auth as unknown as AuthFields,
    document: row.document as unknown as DocumentInfo | null,
    status: row.status as Status,
    statusReason: row.status_reason,
    statusChangedAt: row.status_changed_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
