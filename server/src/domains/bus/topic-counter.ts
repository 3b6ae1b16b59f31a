import type { EventTypeCount } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { addCounts, type TopicCount } from "./store.ts";

/** Counts the events of each topic, so that listing topics does not read the whole log. */
export const topicCountReader = reader({
  name: "bus.count_topics",
  on: ["*"],
  startsAt: "beginning",
  handleSummary: ({ tx }, typeCounts) => addCounts(tx, countByTopic(typeCounts)),
});

function countByTopic(typeCounts: readonly EventTypeCount[]): TopicCount[] {
  return [...Map.groupBy(typeCounts, ({ topic }) => topic)]
    .map(([topic, all]) => ({
      topic,
      events: all.reduce((sum, { count }) => sum + count, 0),
      lastEventAt: all.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), ""),
    }))
    .toSorted((a, b) => (a.topic < b.topic ? -1 : 1));
}
