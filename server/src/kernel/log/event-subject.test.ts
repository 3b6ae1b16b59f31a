import { expect, test } from "vitest";
import type { RecordedEvent } from "./event.ts";
import { payloadOf, subjectOf } from "./event-subject.ts";

const data = { before: { severity: "low" }, after: { severity: "high" }, changes: ["severity"] };
const event = (more: object = {}): RecordedEvent =>
  ({
    type: "incident.updated",
    resource: { type: "incident", id: "inc_1" },
    data,
    ...more,
  }) as never;

test("the payload is the new state for a change and the content for a message", () => {
  expect(payloadOf(event())).toEqual({ severity: "high" });
  const message = { type: "message", id: "msg_1" };
  expect(payloadOf(event({ resource: message }))).toEqual(data);
  expect(payloadOf(event({ data: { id: "inc_1" } }))).toEqual({ id: "inc_1" });
});

test("conditions can read the changed fields", () => {
  const { after, ...change } = data;
  expect(subjectOf(event())).toMatchObject({ data: after, ...change });
  expect(subjectOf(event({ data: { id: "inc_1" } }))).not.toHaveProperty("changes");
});
