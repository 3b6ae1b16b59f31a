import type { Transaction } from "./db/database.ts";
import type { RecordedEvent } from "./event.ts";
import { readEventsHere } from "./log.ts";

/** Those whose data was read, by those that were handed out without: several readers may ask for the same. */
const wholes = new WeakMap<RecordedEvent, RecordedEvent>();

/** Events with their data, of which some were handed out without. */
export async function withData(
  session: Transaction,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const bare = events.filter((event) => event.data === null && !wholes.has(event));
  const places = bare.map(({ position }) => position);
  const read = await readEventsHere(session, places);
  for (const event of bare) wholes.set(event, read.get(event.id) ?? event);
  return events.map((event) => wholes.get(event) ?? event);
}
