import type { Tx } from "#kernel/db/connection.ts";
import type { LogPosition, RecordedEvent } from "#kernel/log/event.ts";
import { readResourceHistory, type ResourcePosition } from "#kernel/log/resource-history.ts";

const PAGE_EVENTS = 2_000;
/** Beyond them a ticket is no longer somebody's work, but a loop of automations. */
const PAGES_MAX = 50;

/** All that happened to some tickets behind their places, up to another place. */
export async function historiesOf(
  tx: Tx,
  tickets: readonly ResourcePosition[],
  upTo?: LogPosition,
): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
  const histories = new Map<string, readonly RecordedEvent[]>();
  let wanted = tickets;
  for (let page = 0; wanted.length > 0 && page < PAGES_MAX; page += 1) {
    const found = await readResourceHistory(tx, wanted, { upTo, limit: PAGE_EVENTS });
    for (const [id, events] of found) {
      histories.set(id, [...(histories.get(id) ?? []), ...events]);
    }
    wanted = [...found]
      .filter(([, events]) => events.length === PAGE_EVENTS)
      .map(([id, events]) => ({ id, after: events.at(-1)?.position }));
  }
  return histories;
}
