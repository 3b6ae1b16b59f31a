import { expect, test } from "vitest";
import type { LogEvent } from "../data/live/live.ts";
import { groupChanges, listPeople } from "./changes.ts";

const event = (type: string, actor: string, id = "1"): LogEvent =>
  ({
    type,
    createdAt: "2026-11-16T12:00:00.000Z",
    actor: { id: `usr_${actor}`, name: actor, type: "user" },
    resource: { type: type.split(".")[0], id, number: null, displayName: `Thing ${id}` },
  }) as unknown as LogEvent;

test("changes by other users are grouped by resource, with all their authors", () => {
  const changes = groupChanges(
    [
      event("workflow.updated", "Ada"),
      event("workflow.run_started", "Ada"),
      event("workflow.published", "Bo"),
      event("workflow.updated", "Me", "2"),
      event("audit.auth.login", "Ada", "3"),
      event("incident.assigned", "Bo", "4"),
      event("connector.invoked", "Bo", "5"),
      event("message.sent", "Bo", "6"),
    ],
    "usr_Me",
  );
  expect(changes).toMatchObject([
    { name: "Thing 1", what: "updated", times: 2, who: ["Ada", "Bo"] },
    { name: "Thing 4", what: "assigned", times: 1, who: ["Bo"] },
  ]);
});

test.each([
  [["Ada"], "Ada"],
  [["Ada", "Bo"], "Ada and Bo"],
  [["Ada", "Bo", "Cy"], "Ada, Bo and another"],
  [["Ada", "Bo", "Cy", "Di"], "Ada, Bo and 2 others"],
])("%s is displayed as %s", (who, text) => expect(listPeople(who)).toBe(text));
