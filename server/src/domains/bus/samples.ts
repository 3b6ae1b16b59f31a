import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

const BEGINNING = "evt_0000000000000000000000";

let count = 0;

/** Topic names are valid everywhere, and are empty topics in other workspaces. */
async function publishSample(owner: Ask) {
  count += 1;
  const name = `samples.topic-${count}`;
  await owner(`POST /api/v1/events/topics/${name}/publish`, { type: "sample", payload: { count } });
  return { params: { name }, partitioned: false, openParams: true };
}

/** A dead letter of the reader that counts topic events. */
async function arrangeDeadLetter(owner: Ask, world: World) {
  const path = "POST /api/v1/events/topics/samples.dead/publish";
  const { body } = await owner(path, { type: "sample", payload: {} });
  const eventId = body.data.id as string;
  const reader = "bus.count_topics";
  await world.sql(
    `insert into parked_events (reader, epoch, xid, seq, workspace_id, environment, error, parked_at)
     select $1, epoch, xid, seq, workspace_id, environment, 'It failed.', now() from events
      where event_id(epoch, xid, seq) = $2 and topic = 'samples.dead'`,
    [reader, eventId],
  );
  return { params: { reader, eventId } };
}

export const samples: readonly Sample[] = [
  { operation: "topics.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "topics.publish",
    arrange: async (owner) => {
      count += 1;
      return {
        ...(await publishSample(owner)),
        body: { type: "sample", payload: { some: "thing" }, deduplicationKey: `sample ${count}` },
      };
    },
  },
  {
    operation: "topics.publish",
    name: "a second time",
    arrange: async (owner) => {
      const arranged = await publishSample(owner);
      const body = { type: "sample", payload: {}, deduplicationKey: "the same" };
      await owner(`POST /api/v1/events/topics/${arranged.params.name}/publish`, body);
      return { ...arranged, body, status: 200 };
    },
  },
  {
    operation: "topics.read",
    arrange: async (owner) => ({ ...(await publishSample(owner)), query: { timeout: "100" } }),
  },
  {
    operation: "topics.stream",
    // One event, so that it ends.
    arrange: async (owner) => ({
      ...(await publishSample(owner)),
      query: { after: BEGINNING, limit: "1" },
    }),
  },
  { operation: "events.recent", arrange: async () => ({ query: { limit: "5" } }) },
  {
    operation: "events.changes",
    arrange: async () => ({ query: { since: "2026-01-01T00:00:00Z" } }),
  },
  {
    operation: "traces.get",
    arrange: async (owner) => {
      const body = { type: "sample", payload: {} };
      const answer = await owner("POST /api/v1/events/topics/samples.traced/publish", body);
      return { query: { of: answer.body.data.id } };
    },
  },
  {
    operation: "events.trace",
    arrange: async (owner) => {
      const body = { type: "sample", payload: {} };
      const answer = await owner("POST /api/v1/events/topics/samples.traced/publish", body);
      return { params: { id: answer.body.data.id } };
    },
  },
  {
    operation: "topics.list_followers",
    arrange: async (owner) => publishSample(owner),
  },
  { operation: "dead_letters.list", arrange: async () => ({ query: { limit: "5" } }) },
  { operation: "dead_letters.retry", arrange: arrangeDeadLetter },
  { operation: "dead_letters.skip", arrange: arrangeDeadLetter },
];
