import type { PartSummary } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { addCounts, type TopicCount } from "./store.ts";

export const TOPIC_COUNT_READER = "bus.count_topics";

/** Counts the events of each topic, so that listing topics does not read the whole log. */
export const topicCountReader = reader({
  name: TOPIC_COUNT_READER,
  on: ["*"],
  startsAt: "beginning",
  handleParts: ({ tx }, parts) => addCounts(tx, parts.flatMap(countByTopic)),
});

function countByTopic({ partition, counts }: PartSummary): TopicCount[] {
  return [...Map.groupBy(counts, ({ topic }) => topic)].map(([topic, all]) => ({
    ...partition,
    topic,
    events: all.reduce((sum, { count }) => sum + count, 0),
    lastEventAt: all.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), ""),
  }));
}
