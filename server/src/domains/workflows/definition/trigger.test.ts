import { describe, expect, test } from "vitest";
import { errorsOf } from "../testing/definitions.ts";

function ofTrigger(trigger: unknown): string[] {
  return errorsOf({ name: "x", trigger, nodes: [], edges: [] });
}

describe("triggers", () => {
  const known = "must be one of manual, event_bus, schedule, webhook, form, chat, connector, rss";
  test.each<[unknown, string[]]>([
    [
      {
        type: "event_bus",
        topic: "orders",
        eventType: "order.*",
        filter: { "data.total": { gte: 5 } },
      },
      [],
    ],
    [{ type: "schedule", cron: "0 9 * * MON-FRI", timezone: "Europe/Berlin" }, []],
    [{ type: "schedule", cron: "*/10 * * * * *" }, []],
    [{ type: "schedule", cron: "0 0 29 2 *" }, []],
    [{ type: "webhook" }, []],
    [
      {
        type: "webhook",
        signature: { secret: "{{secrets.HOOK}}", header: "X-Hub-Signature-256", prefix: "sha256=" },
      },
      [],
    ],
    ["manual", ["/trigger must be object"]],
    [{}, ["/trigger/type is required"]],
    [{ type: "nightly" }, [`/trigger/type ${known}`]],
    [{ type: "manual", cron: "* * * * *" }, ["/trigger/cron is not a known field"]],
    [{ type: "event_bus" }, ["/trigger/topic is required"]],
    [
      { type: "event_bus", topic: "t", eventType: "a..b" },
      ["/trigger/eventType must be an event type or a pattern"],
    ],
    [
      { type: "event_bus", topic: "t", filter: { a: { near: 1 } } },
      ["/trigger/filter/a/near is not an operator. To compare with an object, use eq"],
    ],
    [{ type: "schedule" }, ["/trigger/cron is required"]],
    [
      { type: "schedule", cron: "61 * * * *" },
      ["/trigger/cron is not a cron expression: Invalid value for minute: 61"],
    ],
    [{ type: "schedule", cron: "0 0 31 2 *" }, ["/trigger/cron never matches a time"]],
    [{ type: "schedule", cron: "2030-01-01T00:00:00" }, ["/trigger/cron is not a cron expression"]],
    [{ type: "schedule", cron: "? * * * *" }, ["/trigger/cron is not a cron expression"]],
    [
      { type: "schedule", cron: "@daily", timezone: "Mars/Olympus" },
      ["/trigger/timezone is not a known time zone"],
    ],
    [
      { type: "schedule", cron: "@daily", timezone: "+02:00" },
      ["/trigger/timezone is not a known time zone"],
    ],
    [
      { type: "webhook", signature: { secret: "plain" } },
      [expect.stringMatching(/^\/trigger\/signature\/secret does not have the right form: /)],
    ],
  ])("%j", (trigger, faults) => {
    expect(ofTrigger(trigger)).toEqual(faults);
  });
});
