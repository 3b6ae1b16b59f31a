import { expect, test } from "vitest";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "./testing/receiver.ts";
import * as testing from "./testing/deliveries.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const INCIDENTS = "/api/v1/itsm/incidents";
const URGENT = { "ticket.priority": { in: [1, 2] } };

const arrived = (name: string): string[] =>
  testing.arrived(receiver, name).map(({ body }) => body.event as string);
const raise = async (more: object) =>
  (await agent(`POST ${INCIDENTS}`, { title: "Down", ...more })).body.data.id as string;
const comment = (id: string) => agent(`POST ${INCIDENTS}/${id}/comments`, { body: "Looking" });
const preview = async (filter: object) =>
  (await owner("POST /api/v1/webhooks/preview", { events: ["incident.*"], filter })).body.data;

test("a condition on the ticket selects all its events by its state at each event", async () => {
  const hook = { events: ["incident.*"], filter: URGENT };
  await testing.hook(owner, receiver, "urgent", hook);
  const quiet = await raise({ impact: 3, urgency: 3 });
  await comment(quiet);
  const urgent = await raise({ impact: 1, urgency: 1 });
  await comment(urgent);
  // From here on the quiet ticket is urgent; its earlier comment stays unsent.
  await agent(`PATCH ${INCIDENTS}/${quiet}`, { impact: 1, urgency: 1 });
  await comment(quiet);
  await agent(`POST ${INCIDENTS}/${urgent}/resolve`, { resolution: "Restarted" });
  await until(async () => arrived("urgent").length === 5);
  const sent = [
    "incident.comment_added",
    "incident.comment_added",
    "incident.created",
    "incident.resolved",
    "incident.updated",
  ];
  expect(arrived("urgent").toSorted()).toEqual(sent);
  const past = await preview(URGENT);
  expect(past.events.map(({ type }: any) => type).toSorted()).toEqual(sent);
  expect(past.missing).toEqual([]);
});

test("the preview names the events that lack fields of the condition", async () => {
  const { events, missing } = await preview({ "data.priority": { in: [1, 2] } });
  expect(events.map(({ type }: any) => type)).not.toContain("incident.comment_added");
  expect(missing).toContainEqual({
    type: "incident.comment_added",
    path: "data.priority",
    count: 3,
  });
});
