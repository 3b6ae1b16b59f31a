import { domain } from "#kernel/domain.ts";
import { topicCountReader } from "./topic-counter.ts";
import { listTopics, publishMessage, readTopic, streamTopic, traceEvent } from "./operations.ts";
import { readCauseTree } from "./trace/operation.ts";
import { listChanges } from "./explorer/changes.ts";
import { listFollowers } from "./explorer/followers.ts";
import { listRecentEvents } from "./explorer/recent.ts";
import * as deadLetters from "./dead-letters/operations.ts";
import { EventsPublish } from "./topic.ts";
import { busRetentionJob } from "./publish.ts";

export { openStream } from "./stream.ts";
export { mayHear } from "./read-topic.ts";
export { AUDIT, eventTypeDoubt, isReserved, PLATFORM_EVENTS, platformTopics } from "./topic.ts";

export const bus = domain({
  name: "bus",
  summary: "Event topics: events of the platform, and topics for your own messages.",
  permissions: [EventsPublish, deadLetters.EventsRepair],
  events: deadLetters.deadLetterEvents,
  operations: [
    listTopics,
    publishMessage,
    readTopic,
    streamTopic,
    traceEvent,
    readCauseTree,
    listRecentEvents,
    listChanges,
    listFollowers,
    deadLetters.listDeadLetters,
    deadLetters.retryDeadLetter,
    deadLetters.skipDeadLetter,
  ],
  readers: [topicCountReader],
  jobs: [busRetentionJob],
});
