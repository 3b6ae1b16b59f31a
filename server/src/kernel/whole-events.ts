import type { Transaction } from "./db/database.ts";
import { eventIdOf, type RecordedEvent } from "./event.ts";
import { type EventRow, placeOf } from "./log.ts";

const DATA = `
  select e.epoch, e.xid, e.seq, e.data
    from unnest($1::smallint[], $2::xid8[], $3::bigint[]) as place (epoch, xid, seq)
    join events e on (e.epoch, e.xid, e.seq) = (place.epoch, place.xid, place.seq)`;

/** Those whose data was read, by those that were handed out without: several readers may ask for the same. */
const wholes = new WeakMap<RecordedEvent, RecordedEvent>();

/** Events with their data, of which some were handed out without. */
export async function withData(
  session: Transaction,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const bare = events.filter((event) => event.data === null && !wholes.has(event));
  if (bare.length > 0) {
    const byId = new Map(bare.map((event) => [event.id, event]));
    const rows = await session.send<Pick<EventRow, "epoch" | "xid" | "seq" | "data">>(DATA, [
      bare.map(({ position }) => position.epoch),
      bare.map(({ position }) => String(position.xid)),
      bare.map(({ position }) => position.seq),
    ]);
    for (const { data, ...row } of rows) {
      const event = byId.get(eventIdOf(placeOf(row)));
      if (event) wholes.set(event, { ...event, data });
    }
  }
  return events.map((event) => wholes.get(event) ?? event);
}
