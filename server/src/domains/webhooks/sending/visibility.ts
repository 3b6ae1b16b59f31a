/**
 * Visibility of events for webhooks: a webhook sees an event as the member who last saved its subscription, URL or
 * headers. So a webhook cannot reveal what that member may not see, and receives nothing after the member has left.
 */
import { CompiledQuery } from "kysely";
import { mayHear } from "#domains/bus/index.ts";
import { confineMember } from "#domains/identity/accounts/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import {
  type EventFilter,
  eventFiltersFor,
  applyFilter,
  type VisibilityContext,
} from "#kernel/log/event-visibility.ts";

/** Returns an event as a webhook sees it; undefined if it may not see it. */
export type WebhookVisibility = (
  event: RecordedEvent,
  webhookId: string,
) => RecordedEvent | undefined;

interface SaverRow {
  readonly id: string;
  readonly saved_by: string;
  readonly permissions: readonly string[] | null;
  readonly roles: readonly string[];
  readonly granted: readonly string[];
}

/** Omits webhooks whose member is not active. */
const SAVERS = `
  select w.id, w.saved_by, w.permissions, m.roles,
         array(select unnest(r.permissions) from roles r
                where r.workspace_id = m.workspace_id and r.id = any (m.roles)) as granted
    from webhooks w
    join memberships m
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
  const query = CompiledQuery.raw(SAVERS, [webhookIds()]);
  const { rows } = await tx.executeQuery<SaverRow>(query);
  return toVisibility(context.services, filters, rows);
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
  const rows = await platform.db.system<SaverRow>(SAVERS, [webhookIds()]);
  return toVisibility(platform, filters, rows);
}

function toVisibility(
  services: PlatformServices,
  filters: ReadonlyMap<string, EventFilter>,
  rows: readonly SaverRow[],
): WebhookVisibility {
  const savers = new Map(
    rows.map(({ id, saved_by: runAs, permissions, roles, granted }) => [
      id,
      confineMember({ runAs, permissions }, { roles, granted }, services),
    ]),
  );
  return (event, webhookId) => {
    const saver = savers.get(webhookId);
    if (!saver || !mayHear(saver, event.topic)) return undefined;
    return applyFilter(filters, event, saver.principal);
  };
}
