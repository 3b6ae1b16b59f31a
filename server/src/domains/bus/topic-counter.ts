import type { EventTypeCount } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { addCounts, type Tally } from "./store.ts";

/** Keeps the number of events on each topic, so that to list topics is not to read the whole log. */
export const countTopics = reader({
  name: "bus.count_topics",
  on: ["*"],
  startsAt: "beginning",
  handleSummary: ({ tx }, kinds) => addCounts(tx, tally(kinds)),
});

function tally(kinds: readonly EventTypeCount[]): Tally[] {
  return [...Map.groupBy(kinds, ({ topic }) => topic)]
    .map(([topic, all]) => ({
      topic,
      events: all.reduce((sum, { count }) => sum + count, 0),
      lastEventAt: all.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), ""),
    }))
    .toSorted((a, b) => (a.topic < b.topic ? -1 : 1));
}
