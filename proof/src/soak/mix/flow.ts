import type { Furniture } from "../furniture.ts";
import { at, type Deed, remember } from "./deed.ts";

const STREAM_MS = 1_500;

/** Events, runs, deliveries and scripts. */
export const flow: readonly Deed[] = [
  {
    name: "publish",
    weight: 8,
    statuses: [201],
    act: (api, _things, n) =>
      api.ask("POST /api/v1/events/topics/stock/publish", { type: "stock.moved", payload: { n } }),
  },
  {
    name: "publish once, and start a run",
    weight: 3,
    statuses: [200, 201],
    act: (api, _things, n) =>
      api.ask("POST /api/v1/events/topics/orders/publish", {
        type: "order.placed",
        payload: { n },
        deduplicationKey: `order ${n - (n % 2)}`,
      }),
  },
  {
    name: "read a topic",
    weight: 2,
    statuses: [200],
    act: (api) => api.ask("GET /api/v1/events/topics/stock/events?limit=20"),
  },
  {
    name: "follow a topic",
    weight: 0.5,
    slow: true,
    statuses: [200],
    act: (api) => api.listen("GET /api/v1/events/topics/stock/stream", STREAM_MS),
  },
  hook("transform", 3),
  hook("script", 1.5),
  hook("http", 2),
  {
    name: "list runs",
    weight: 2,
    statuses: [200],
    act: (api) => api.ask("GET /api/v1/runs?limit=20"),
  },
  {
    name: "read a run",
    weight: 2,
    statuses: [200, 404],
    act: (api, { runIds }, n) => api.ask(`GET /api/v1/runs/${at(runIds, n)}`),
  },
  {
    name: "list deliveries",
    weight: 1,
    statuses: [200],
    act: (api, { webhookId }) => api.ask(`GET /api/v1/webhooks/${webhookId}/deliveries?limit=20`),
  },
  {
    name: "execute a script",
    weight: 1,
    statuses: [200],
    act: (api, { nodeId }, n) =>
      api.ask(`POST /api/flowsdk/artifacts/${nodeId}/execute`, { inputPayload: { n } }),
  },
  {
    name: "read the audit log",
    weight: 2,
    statuses: [200],
    act: (api) => api.ask("GET /api/v1/audit?limit=20"),
  },
];

function hook(kind: keyof Furniture["hooks"], weight: number): Deed {
  return {
    name: `start a run: ${kind}`,
    weight,
    statuses: [202],
    async act(api, { hooks, runIds }, n) {
      const reply = await api.ask(`POST ${hooks[kind]}`, { n, prices: [1, 2, n] });
      if (reply.status === 202) remember(runIds, reply.body.data.runId);
      return reply;
    },
  };
}
