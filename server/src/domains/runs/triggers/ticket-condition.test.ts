import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployEventWorkflow, findRuns, waitUntilIdle } from "../testing/triggers.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

test("a trigger with a ticket condition starts only for comments on urgent tickets", async () => {
  const id = await deployEventWorkflow(
    owner,
    {
      topic: "incident",
      eventType: "incident.comment_added",
      filter: { "ticket.priority": { lte: 2 } },
    },
    [{ id: "keep", type: "set", config: { values: { body: "{{ trigger.event.data.body }}" } } }],
  );
  for (const urgency of [3, 1]) {
    const fields = { title: "Down", impact: urgency, urgency };
    const { body } = await owner("POST /api/v1/itsm/incidents", fields);
    const comments = `POST /api/v1/itsm/incidents/${body.data.id}/comments`;
    await owner(comments, { body: `Urgency ${urgency}` });
  }
  await until(async () => (await findRuns(world, id))[0]?.status === "completed");
  await waitUntilIdle(world);
  const runs = await findRuns(world, id);
  expect(runs).toMatchObject([{ output: { body: "Urgency 1" } }]);
  expect(runs[0].trigger.event).not.toHaveProperty("ticket");
  const filter = JSON.stringify({ "ticket.priority": { lte: 2 } });
  const asked = new URLSearchParams({ topic: "incident", type: "incident.comment_added", filter });
  const { body: recent } = await owner(`GET /api/v1/events/recent?${asked}`);
  expect(recent.data.map(({ data }: any) => data.body)).toEqual(["Urgency 1"]);
});
