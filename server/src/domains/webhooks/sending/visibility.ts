/**
 * Visibility of events for webhooks: a webhook sees an event as the member sees it who last saved its
 * subscription or its URL. So nobody gets through a webhook what they may not see.
 */
import { CompiledQuery } from "kysely";
import type { Principal } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import {
  type EventFilter,
  eventFiltersFor,
  applyFilter,
  type VisibilityContext,
} from "#kernel/log/event-visibility.ts";

/** Returns an event as a webhook sees it; undefined when it may not. */
export type WebhookVisibility = (
  event: RecordedEvent,
  webhookId: string,
) => RecordedEvent | undefined;

interface SaverRow {
  readonly id: string;
  readonly saved_by: string | null;
  /** Null when the member is no longer active. */
  readonly roles: readonly string[] | null;
}

const SAVERS = `
  select w.id, w.saved_by, m.roles
    from webhooks w
    left join memberships m
      on m.workspace_id = w.workspace_id and m.user_id = w.saved_by and m.status = 'active'
   where w.id = any($1::text[])`;

/** Reads the visibility of events of one partition, within a transaction in their workspace. */
export async function readVisibility(
  tx: Tx,
  context: VisibilityContext,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<WebhookVisibility> {
  const filters = await eventFiltersFor(context, events);
  if (filters.size === 0) return (event) => event;
  const query = CompiledQuery.raw(SAVERS, [webhookIds()]);
  const { rows } = await tx.executeQuery<SaverRow>(query);
  return toVisibility(filters, rows);
}

/** Reads the visibility of events of any partition, without a transaction. */
export async function readVisibilityEverywhere(
  platform: Platform,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<WebhookVisibility> {
  const filters = new Map<string, EventFilter>();
  const partitionKeyOf = ({ workspace, environment }: RecordedEvent) =>
    `${workspace} ${environment}`;
  for (const group of Map.groupBy(events, partitionKeyOf).values()) {
    const [first] = group;
    if (!first) continue;
    const partition = { workspace: first.workspace, environment: first.environment };
    const read: VisibilityContext["read"] = (work) => platform.db.read(partition, work);
    const context = { services: platform, partition, read };
    for (const [id, filter] of await eventFiltersFor(context, group)) filters.set(id, filter);
  }
  if (filters.size === 0) return (event) => event;
  return toVisibility(filters, await platform.db.system<SaverRow>(SAVERS, [webhookIds()]));
}

function toVisibility(
  filters: ReadonlyMap<string, EventFilter>,
  rows: readonly SaverRow[],
): WebhookVisibility {
  const savers = new Map(rows.map((row) => [row.id, saverOf(row)]));
  return (event, webhookId) => applyFilter(filters, event, savers.get(webhookId) ?? NOBODY);
}

/** A principal without roles, to whom only rules for everyone apply. */
const NOBODY: Principal = { id: "", roles: [] };

function saverOf({ saved_by, roles }: SaverRow): Principal {
  return saved_by === null ? NOBODY : { id: saved_by, roles: roles ?? [] };
}
