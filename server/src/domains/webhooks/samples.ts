import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

/** No server listens on this port: an attempt fails immediately. */
function fresh() {
  count += 1;
  return {
    name: `Sample ${count}`,
    url: "https://127.0.0.1:9/hook",
    events: ["sample.*"],
    environments: ["production"],
    filter: { "data.team": "ops" },
    headers: { "X-Team": "ops" },
    secret: "sample secret",
    format: "millrace",
    retries: 0,
    retryStrategy: "fixed",
    retry_strategy: "fixed",
    retryMaxDelayMs: 5_000,
    retry_max_delay_ms: 5_000,
    timeoutMs: 1_000,
    timeout_ms: 1_000,
    maxPerSecond: 10,
    max_per_second: 10,
    status: "active",
  };
}

/** Creates a webhook; it is the same in all environments. */
async function made(owner: Ask, more: object = {}) {
  const { body } = await owner("POST /api/v1/webhooks", { ...fresh(), ...more });
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "webhooks.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "webhooks.list_health", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "webhooks.create", arrange: async () => ({ body: fresh() }) },
  {
    operation: "webhooks.create",
    name: "paused from the start",
    arrange: async () => ({ body: { ...fresh(), status: "paused" } }),
  },
  { operation: "webhooks.get", arrange: (owner) => made(owner) },
  {
    operation: "webhooks.update",
    arrange: async (owner) => ({ ...(await made(owner)), body: { ...fresh(), name: "Renamed" } }),
  },
  {
    operation: "webhooks.update",
    name: "pause",
    arrange: async (owner) => ({ ...(await made(owner)), body: { status: "paused" } }),
  },
  {
    operation: "webhooks.update",
    name: "re-enable",
    arrange: async (owner) => ({
      ...(await made(owner, { status: "paused" })),
      body: { status: "active" },
    }),
  },
  { operation: "webhooks.delete", arrange: (owner) => made(owner) },
  { operation: "webhooks.test", arrange: (owner) => made(owner) },
  {
    operation: "webhooks.rotate_secret",
    arrange: async (owner) => ({ ...(await made(owner)), body: { secret: "another secret" } }),
  },
  {
    operation: "webhooks.preview",
    arrange: async () => ({
      body: {
        events: ["webhook.*"],
        environments: ["production"],
        filter: { "actor.type": "user" },
        from: "2026-01-01T00:00:00.000Z",
        to: "2126-01-01T00:00:00.000Z",
        limit: 5,
      },
    }),
  },
  {
    operation: "webhooks.simulate",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: {
        webhook: { events: ["webhook.*"], environments: null, filter: { "actor.type": "user" } },
        from: "2026-01-01T00:00:00.000Z",
        to: "2126-01-01T00:00:00.000Z",
        limit: 5,
      },
    }),
  },
];
