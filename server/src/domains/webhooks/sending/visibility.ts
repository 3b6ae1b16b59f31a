/**
 * Events as a webhook hears of them: as those see them who said last what it hears, or where that
 * goes. Nobody gets by a webhook what is not for them.
 */
import { CompiledQuery } from "kysely";
import type { Outside, Person } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { type Lens, lensesOf, through, type ViewPlace } from "#kernel/log/event-visibility.ts";

/** An event as a webhook hears of it; undefined when it does not. */
export type Hearing = (event: RecordedEvent, webhookId: string) => RecordedEvent | undefined;

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
export async function hearingIn(
  tx: Tx,
  place: ViewPlace,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<Hearing> {
  const lenses = await lensesOf(place, events);
  if (lenses.size === 0) return (event) => event;
  const query = CompiledQuery.raw(SAVERS, [webhookIds()]);
  const { rows } = await tx.executeQuery<SaverRow>(query);
  return hearingBy(lenses, rows);
}

/** The same for who is in no act, and for events of any partition. */
export async function hearingAnywhere(
  outside: Outside,
  events: readonly RecordedEvent[],
  webhookIds: () => readonly string[],
): Promise<Hearing> {
  const lenses = new Map<string, Lens>();
  const placeOf = ({ workspace, environment }: RecordedEvent) => `${workspace} ${environment}`;
  for (const group of Map.groupBy(events, placeOf).values()) {
    const [first] = group;
    if (!first) continue;
    const partition = { workspace: first.workspace, environment: first.environment };
    const read: ViewPlace["read"] = (work) => outside.db.read(partition, work);
    const place = { services: outside, partition, read };
    for (const [id, lens] of await lensesOf(place, group)) lenses.set(id, lens);
  }
  if (lenses.size === 0) return (event) => event;
  return hearingBy(lenses, await outside.db.system<SaverRow>(SAVERS, [webhookIds()]));
}

function hearingBy(lenses: ReadonlyMap<string, Lens>, rows: readonly SaverRow[]): Hearing {
  const savers = new Map(rows.map((row) => [row.id, saverOf(row)]));
  return (event, webhookId) => through(lenses, event, savers.get(webhookId) ?? NOBODY);
}

/** Somebody without a role, whom only rules for everyone are for. */
const NOBODY: Person = { id: "", roles: [] };

function saverOf({ saved_by, roles }: SaverRow): Person {
  return saved_by === null ? NOBODY : { id: saved_by, roles: roles ?? [] };
}
