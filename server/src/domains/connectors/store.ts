import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { sql } from "kysely";
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { tableStore } from "#kernel/resource/table.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { Connector } from "./connector.ts";
import type { DiscoveredAction } from "./openapi/discovered-action.ts";

const StoredConnector = Type.Object({
  ...Connector.properties,
  sealed: Type.Unsafe<Buffer | null>({}),
  permissions: nullable(Type.Array(Type.String())),
  failures: Type.Integer(),
  retryAt: nullable(Time),
  limitedUntil: nullable(Time),
});
/** A connector with its encrypted credentials and the state of its circuit breaker, which are never shown. */
export type StoredConnector = Item<typeof Connector, typeof StoredConnector>;

export const connectorTable = {
  table: "connectors",
  schema: Connector,
  stored: StoredConnector,
  json: ["config", "auth", "document"],
} as const;

export const connectorStore = tableStore<typeof Connector, typeof StoredConnector>(connectorTable);

/** Replaces the actions of a connector. */
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

/** A connector without its encrypted parts. */
export interface ConnectorName {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: unknown;
  readonly auth: unknown;
}

export function listConnectorNames(tx: Tx, limit: number): Promise<ConnectorName[]> {
  return tx
    .selectFrom("connectors")
    .select(["id", "name", "type", "config", "auth"])
    .orderBy("name")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** The most actions that a document may have. */
const ACTIONS_MAX = 5_000;

/** The names of a connector's documented actions, without their schemas. */
export function listActionNames(tx: Tx, connectorId: string) {
  return tx
    .selectFrom("connector_actions")
    .select(["name", sql<string>`coalesce(action ->> 'summary', '')`.as("summary")])
    .where("connector_id", "=", connectorId)
    .orderBy("name")
    .limit(ACTIONS_MAX)
    .execute();
}

/** Connectors with credentials that use the rights of a member. */
export const unattendedConnectors: UnattendedWork = {
  kind: "connector",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select id, name, null as environment from connectors
   where saved_by = $1 and (sealed is not null or config::text || auth::text like '%{{%secrets.%')
   order by id limit $2`;
