/**
 * Events as a webhook hears of them: as those see them who said last what it hears, or where that
 * goes. Nobody gets by a webhook what is not for them.
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

/** An event as a webhook hears of it; undefined when it does not. */
export type WebhookVisibility = (
  event: RecordedEvent,
  webhookId: string,
) => RecordedEvent | undefined;

interface SaverRow {
  readonly id: string;
  readonly saved_by: string | null;
  /** Null when they are no active member any more. */
  readonly roles: readonly string[] | null;
}

const SAVERS = `
  select w.id, w.saved_by, m.roles
    from webhooks w
    left join memberships m
      on m.workspace_id = w.workspace_id and m.user_id = w.saved_by and m.status = 'active'
   where w.id = any($1::text[])`;

/** How webhooks hear of events, all of one place, within an act in their workspace. */
export async function visibilityIn(
  tx: Tx,
  place: VisibilityContext,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<WebhookVisibility> {
  const lenses = await eventFiltersFor(place, events);
  if (lenses.size === 0) return (event) => event;
  const query = CompiledQuery.raw(SAVERS, [webhookIds()]);
  const { rows } = await tx.executeQuery<SaverRow>(query);
  return hearingBy(lenses, rows);
}

/** The same for who is in no act, and for events of any partition. */
export async function visibilityEverywhere(
  platform: Platform,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<WebhookVisibility> {
  const lenses = new Map<string, EventFilter>();
  const placeOf = ({ workspace, environment }: RecordedEvent) => `${workspace} ${environment}`;
  for (const group of Map.groupBy(events, placeOf).values()) {
    const [first] = group;
    if (!first) continue;
    const partition = { workspace: first.workspace, environment: first.environment };
    const read: VisibilityContext["read"] = (work) => platform.db.read(partition, work);
    const place = { services: platform, partition, read };
    for (const [id, lens] of await eventFiltersFor(place, group)) lenses.set(id, lens);
  }
  if (lenses.size === 0) return (event) => event;
  return hearingBy(lenses, await platform.db.system<SaverRow>(SAVERS, [webhookIds()]));
}

function hearingBy(
  lenses: ReadonlyMap<string, EventFilter>,
  rows: readonly SaverRow[],
): WebhookVisibility {
  const savers = new Map(rows.map((row) => [row.id, saverOf(row)]));
  return (event, webhookId) => applyFilter(lenses, event, savers.get(webhookId) ?? NOBODY);
}

/** Somebody without a role, whom only rules for everyone are for. */
const NOBODY: Principal = { id: "", roles: [] };

function saverOf({ saved_by, roles }: SaverRow): Principal {
  return saved_by === null ? NOBODY : { id: saved_by, roles: roles ?? [] };
}
