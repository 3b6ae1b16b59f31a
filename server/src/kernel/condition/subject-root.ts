/**
 * Additional roots of condition paths: `ticket.priority` reads the ticket of an event in its state at the
 * event, even if the event data is only a comment. Only conditions that use it pay for it: one query per batch
 * of events reads the state from the log.
 */
import { CompiledQuery } from "kysely";
import { conditionPaths, type Condition } from "./condition.ts";
import type { PlatformServices } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "../log/event-log.ts";
import type { RecordedEvent } from "../log/event.ts";

export interface SubjectRoot {
  /** The first path segment, for example `ticket`. */
  readonly name: string;
  /** The resource types that the root reads. */
  readonly resourceTypes: readonly string[];
}

/** Domains declare such roots here. */
export const SubjectRootPoint = extensionPoint<SubjectRoot>("kernel.subject_roots");

/** The roots used by the paths of a condition. */
export function rootsIn(
  condition: Condition | null | undefined,
  { contributions }: Pick<PlatformServices, "contributions">,
): readonly SubjectRoot[] {
  if (!condition) return [];
  let words = wordsOf.get(condition);
  if (!words) {
    words = new Set(conditionPaths(condition).map(([first = ""]) => first));
    wordsOf.set(condition, words);
  }
  return contributionsTo(SubjectRootPoint, contributions).filter(({ name }) => words.has(name));
}

/** The first words of the paths, cached because readers need them for each batch. */
const wordsOf = new WeakMap<Condition, ReadonlySet<string>>();

/** The events with the resources that at least one condition reads. */
export async function attachFor(
  { tx, services }: { readonly tx: Tx; readonly services: Pick<PlatformServices, "contributions"> },
  conditions: Iterable<Condition | null | undefined>,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const roots = new Set([...conditions].flatMap((condition) => rootsIn(condition, services)));
  return roots.size === 0 ? events : attachWhole(tx, [...roots], events);
}

/** For each event, the newest event at or before it that contains the whole resource in its data or in `after`. */
const WHOLE = `
  select p.n, ${EVENT_COLUMNS}
    from unnest($1::text[], $2::smallint[], $3::xid8[], $4::bigint[])
         with ordinality as p (resource_id, epoch, xid, seq, n)
   cross join lateral
         (select * from events e
           where e.resource_id = p.resource_id and (e.epoch, e.xid, e.seq) <= (p.epoch, p.xid, p.seq)
             and coalesce(e.data -> 'after' ->> 'id', e.data ->> 'id') = p.resource_id
           order by e.epoch desc, e.xid desc, e.seq desc limit 1) e`;

/** Attaches the whole resource to events of the roots' resources. Without such events, no query is sent. */
export async function attachWhole(
  tx: Tx,
  roots: readonly SubjectRoot[],
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const rootOf = (event: RecordedEvent) =>
    roots.find(({ resourceTypes }) => resourceTypes.includes(event.resource.type));
  const concerned = events.filter(rootOf);
  if (concerned.length === 0) return events;
  const positions = concerned.map(({ position }) => position);
  const parameters = [
    concerned.map(({ resource }) => resource.id),
    positions.map(({ epoch }) => epoch),
    positions.map(({ xid }) => String(xid)),
    positions.map(({ seq }) => seq),
  ];
  const { rows } = await tx.executeQuery<EventRow & { readonly n: string }>(
    CompiledQuery.raw(WHOLE, parameters),
  );
  const found = new Map(rows.map((row) => [concerned[Number(row.n) - 1]?.id, toEvent(row)]));
  return events.map((event) => {
    const [root, whole] = [rootOf(event)?.name, found.get(event.id)];
    return root !== undefined && whole ? { ...event, whole: { root, event: whole } } : event;
  });
}
