import type { RecordedEvent } from "#kernel/event.ts";
import { reader } from "#kernel/reader.ts";
import { addCounts, type Tally } from "./store.ts";

/** Keeps the number of events on each topic, so that to list topics is not to read the whole log. */
export const countTopics = reader({
  name: "bus.count_topics",
  on: ["*"],
  startsAt: "beginning",
  light: true,
  handle: ({ tx }, events) => addCounts(tx, tally(events)),
});

function tally(events: readonly RecordedEvent[]): Tally[] {
  return [...Map.groupBy(events, ({ topic }) => topic)]
    .map(([topic, all]) => ({
      topic,
      events: all.length,
      lastEventAt: all.reduce((last, { createdAt }) => (createdAt > last ? createdAt : last), ""),
    }))
    .toSorted((a, b) => (a.topic < b.topic ? -1 : 1));
}
