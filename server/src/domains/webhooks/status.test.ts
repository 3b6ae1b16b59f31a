import { describe, expect, test } from "vitest";
import { PAGER, useWebhooks, WEBHOOKS } from "./testing/webhook.ts";

const { world, owner, create: made, lastEvent } = await useWebhooks();

describe("a pause", () => {
  const paused = { status: "paused", pausedBecause: "manual", pausedAt: expect.any(String) };
  const active = { status: "active", pausedBecause: null, pausedAt: null, catchingUp: false };

  test("a manual pause and resume have their own events", async () => {
    const { id } = await made();
    const stopped = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "paused" });
    expect(stopped).toMatchObject({
      status: 200,
      events: ["webhook.paused"],
      body: { data: paused },
    });
    expect(await lastEvent(id)).toMatchObject({ environment: "production", data: paused });
    const again = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "paused" });
    expect(again).toMatchObject({
      status: 200,
      events: ["webhook.updated"],
      body: { data: paused },
    });
    const resumed = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "active" });
    expect(resumed).toMatchObject({ events: ["webhook.resumed"], body: { data: active } });
    expect((await lastEvent(id)).data).toMatchObject({ ...active, from: "now" });
    const [row] = await world.sql(
      "select place_epoch, place_xid, place_seq from webhooks where id = $1",
      [id],
    );
    expect(row).toEqual({ place_epoch: null, place_xid: null, place_seq: null });
  });

  test("follows the event of other changes in the same request", async () => {
    const { id } = await made({ url: "https://old.example.com/" });
    const stopped = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "paused", retries: 0 });
    expect(stopped.events).toEqual(["webhook.updated", "webhook.paused"]);
    const moved = { status: "active", url: "https://new.example.com/" };
    const resumed = await owner(`PATCH ${WEBHOOKS}/${id}`, moved);
    expect(resumed.events).toEqual(["webhook.updated", "webhook.resumed"]);
    expect(resumed.body.data).toMatchObject({ ...active, ...moved, retries: 0 });
    const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&type=webhook.updated`);
    expect(body.data[0].data).toMatchObject({ changes: ["url"], after: { status: "paused" } });
  });

  test("a status change without other changes emits no further event", async () => {
    const { id } = await made();
    const stopped = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "paused", name: "Pager" });
    expect(stopped.events).toEqual(["webhook.paused"]);
  });

  test("can be set at creation", async () => {
    const answer = await owner(`POST ${WEBHOOKS}`, { ...PAGER, status: "paused" });
    expect(answer).toMatchObject({
      status: 201,
      events: ["webhook.created", "webhook.paused"],
      body: { data: paused },
    });
  });

  test("a resume after failures resets the count, and so does setting the status to active", async () => {
    const { id } = await made();
    await world.sql("update webhooks set consecutive_failures = 4 where id = $1", [id]);
    const still = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "active" });
    expect(still).toMatchObject({
      events: ["webhook.updated"],
      body: { data: { consecutiveFailures: 0 } },
    });
    await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "paused" });
    await world.sql(
      "update webhooks set consecutive_failures = 5, paused_because = 'failures' where id = $1",
      [id],
    );
    const resumed = await owner(`PATCH ${WEBHOOKS}/${id}`, { status: "active" });
    expect(resumed).toMatchObject({
      events: ["webhook.resumed"],
      body: { data: { ...active, consecutiveFailures: 0 } },
    });
  });
});
