import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { compileSubscription, buildDeliveryId } from "./subscription.ts";

const event = (more: object = {}): RecordedEvent =>
  ({
    position: { epoch: 1, xid: 100, seq: 1 },
    type: "incident.updated",
    environment: "production",
    actor: { id: "usr_1", name: "Ada", type: "user" },
    resource: { type: "incident", id: "inc_1", number: "INC0000001", displayName: null },
    data: { before: { severity: "low" }, after: { severity: "high" }, changes: ["severity"] },
    ...more,
  }) as unknown as RecordedEvent;
const wants = (more: object, about: object = {}) =>
  compileSubscription({
    id: "whk_1",
    events: ["*"],
    environments: null,
    filter: null,
    hearsAudit: true,
    ...more,
  })(event(about));

describe("which events a webhook wants", () => {
  test.each<[object, object, boolean]>([
    [{ events: ["incident.*"] }, {}, true],
    [{ events: ["change.*", "incident.updated"] }, {}, true],
    [{ events: ["incident.created"] }, {}, false],
    [{ environments: ["production"] }, {}, true],
    [{ environments: ["staging"] }, {}, false],
    [{ filter: { "data.severity": "high" } }, {}, true],
    [{ filter: { "before.severity": { in: ["low", "medium"] } } }, {}, true],
    [{ filter: { changes: { contains: "severity" } } }, {}, true],
    [{ filter: { "data.severity": "low" } }, {}, false],
    [{ filter: { "actor.type": "user", "resource.number": { startsWith: "INC" } } }, {}, true],
    [{ filter: { environment: "staging" } }, {}, false],
    [{ hearsAudit: false }, {}, true],
    [{ hearsAudit: false }, { type: "audit.auth.login", topic: "audit" }, false],
    [{}, { type: "audit.auth.login", topic: "audit" }, true],
    [{}, { type: "webhook.paused", resource: { type: "webhook", id: "whk_1" } }, false],
    [{}, { type: "webhook.paused", resource: { type: "webhook", id: "whk_2" } }, true],
  ])("%j of %j: %s", (subscription, about, expected) => {
    expect(wants(subscription, about)).toBe(expected);
  });
});

test("ids of deliveries sort like their events", () => {
  const place = fc.record({
    epoch: fc.nat(1000),
    xid: fc.nat(2 ** 40),
    seq: fc.nat(2 ** 40),
  });
  fc.assert(
    fc.property(place, place, (left, right) => {
      const order =
        left.epoch - right.epoch || left.xid - right.xid || Math.sign(left.seq - right.seq);
      const [a, b] = [left, right].map((one) =>
        buildDeliveryId(one, "whk_0123456789abcdefghjkmnpqrs"),
      );
      expect(Math.sign(order)).toBe((a ?? "") < (b ?? "") ? -1 : a === b ? 0 : 1);
    }),
  );
});
