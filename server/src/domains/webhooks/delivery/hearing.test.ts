import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "#kernel/event.ts";
import { compileSince, compileSubscription, deliveryIdOf, payloadOf } from "./hearing.ts";

const event = (more: object = {}): RecordedEvent =>
  ({
    position: { epoch: 1, xid: 100, seq: 1 },
    type: "incident.updated",
    environment: "production",
    actor: { id: "usr_1", name: "Ada", type: "user" },
    resource: { type: "incident", id: "inc_1", number: "INC0000001", displayName: null },
    data: { before: { severity: "low" }, after: { severity: "high" }, changes: ["severity"] },
    ...more,
  }) as RecordedEvent;
const wants = (more: object, about: object = {}) =>
  compileSubscription({ id: "whk_1", events: ["*"], environments: null, filter: null, ...more })(
    event(about),
  );

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
    [{}, { type: "webhook.paused", resource: { type: "webhook", id: "whk_1" } }, false],
    [{}, { type: "webhook.paused", resource: { type: "webhook", id: "whk_2" } }, true],
  ])("%j of %j: %s", (subscription, about, expected) => {
    expect(wants(subscription, about)).toBe(expected);
  });
});

describe("from when on it hears", () => {
  test.each<[string, number, number, boolean]>([
    ["10:10:", 1, 9, false],
    ["10:10:", 1, 10, true],
    ["10:15:12,13", 1, 9, false],
    ["10:15:12,13", 1, 11, false],
    ["10:15:12,13", 1, 12, true],
    ["10:15:12,13", 1, 14, false],
    ["10:15:12,13", 1, 15, true],
    ["10:15:12,13", 0, 20, false],
    ["10:15:12,13", 2, 1, true],
  ])("since %s an event of epoch %i, transaction %i: %s", (snapshot, epoch, xid, expected) => {
    expect(compileSince({ epoch: 1, snapshot })({ epoch, xid, seq: 1 })).toBe(expected);
  });
});

test("of a change the resource as it is now is delivered, of a message its payload as it is", () => {
  expect(payloadOf(event())).toEqual({ severity: "high" });
  const data = { before: 1, after: 2, changes: [] };
  expect(payloadOf(event({ data, resource: { type: "message", id: "msg_1" } }))).toEqual(data);
  expect(payloadOf(event({ data: { id: "inc_1" } }))).toEqual({ id: "inc_1" });
});

test("ids of deliveries sort as their events do", () => {
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
        deliveryIdOf(one, "whk_0123456789abcdefghjkmnpqrs"),
      );
      expect(Math.sign(order)).toBe((a ?? "") < (b ?? "") ? -1 : a === b ? 0 : 1);
    }),
  );
});
