import type { Writer } from "./writer.ts";

/** Publishes an event, which starts a run. */
export const messages: Writer = {
  kind: "message",
  async write({ client, name, n }) {
    await client.act({
      id: `${name}-0`,
      about: name,
      route: "POST /api/v1/events/topics/orders/publish",
      body: { type: "order.placed", payload: { n } },
      status: 201,
      events: ["order.placed"],
    });
  },
};

/** Starts a run manually. */
export const requests: Writer = {
  kind: "request",
  async write({ client, name, n, furniture }) {
    await client.act({
      id: `${name}-0`,
      about: name,
      route: `POST /api/v1/workflows/${furniture.asked}/trigger`,
      body: { input: { n } },
      status: 202,
      events: ["workflow.run_started"],
    });
  },
};
