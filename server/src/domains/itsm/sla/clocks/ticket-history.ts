import type { Tx } from "#kernel/db/connection.ts";
import type { LogPosition, RecordedEvent } from "#kernel/log/event.ts";
import { readResourceHistory, type ResourcePosition } from "#kernel/log/resource-history.ts";

const PAGE_EVENTS = 2_000;
/** A ticket with more events is an automation loop. */
const PAGES_MAX = 50;

/** Reads all events of tickets after their positions, up to another position. */
export async function readTicketHistories(
  tx: Tx,
  tickets: readonly ResourcePosition[],
  upTo?: LogPosition,
): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
  const histories = new Map<string, readonly RecordedEvent[]>();
  let remaining = tickets;
  for (let page = 0; remaining.length > 0 && page < PAGES_MAX; page += 1) {
    const found = await readResourceHistory(tx, remaining, { upTo, limit: PAGE_EVENTS });
    for (const [id, events] of found) {
      histories.set(id, [...(histories.get(id) ?? []), ...events]);
    }
    remaining = [...found]
      .filter(([, events]) => events.length === PAGE_EVENTS)
      .map(([id, events]) => ({ id, after: events.at(-1)?.position }));
  }
  return histories;
}
