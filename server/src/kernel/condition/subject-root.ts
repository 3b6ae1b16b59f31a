/**
 * Roots of condition paths besides the fields of an event: `ticket.priority` reads the ticket that an event is about,
 * in its state at the event, where the data of the event has only a comment. Only what has such a condition pays for
 * it: the state is looked up in the log for each batch of events, in one query.
 */
import { CompiledQuery } from "kysely";
import { conditionPaths, type Condition } from "./condition.ts";
import type { PlatformServices } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "../log/event-log.ts";
import type { RecordedEvent } from "../log/event.ts";

export interface SubjectRoot {
  /** The first word of the paths, such as `ticket`. */
  readonly name: string;
  /** The types of the resources that it stands for. */
  readonly resourceTypes: readonly string[];
}

/** Where domains declare such roots. */
export const SubjectRootPoint = extensionPoint<SubjectRoot>("kernel.subject_roots");

/** The roots that the paths of a condition begin with. */
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

/** The first words of the paths of conditions, which readers ask for with each batch. */
const wordsOf = new WeakMap<Condition, ReadonlySet<string>>();

/** These events with the resources that one of the conditions asks for. */
export async function attachFor(
  { tx, services }: { readonly tx: Tx; readonly services: Pick<PlatformServices, "contributions"> },
  conditions: Iterable<Condition | null | undefined>,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const roots = new Set([...conditions].flatMap((condition) => rootsIn(condition, services)));
  return roots.size === 0 ? events : attachWhole(tx, [...roots], events);
}

/** The newest event at or before each of these that has the whole resource in its data, or in `after`. */
const WHOLE = `
  select p.n, ${EVENT_COLUMNS}
    from unnest($1::text[], $2::smallint[], $3::xid8[], $4::bigint[])
         with ordinality as p (resource_id, epoch, xid, seq, n)
   cross join lateral
         (select * from events e
           where e.resource_id = p.resource_id and (e.epoch, e.xid, e.seq) <= (p.epoch, p.xid, p.seq)
             and coalesce(e.data -> 'after' ->> 'id', e.data ->> 'id') = p.resource_id
           order by e.epoch desc, e.xid desc, e.seq desc limit 1) e`;

/** These events, those of the roots' resources with the whole resource; a query only where there are any. */
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
