/** Webhooks, test endpoints and a connector, with their traffic. */
import { setTimeout as pause } from "node:timers/promises";
import { type Ask, dataOf } from "../../faults/asker.ts";
import { customerCheck } from "./definitions.ts";
import { make } from "./made.ts";

const POLL_MS = 100;

export interface TrafficPlaces {
  readonly webhookId: string;
  readonly endpointId: string;
  /** The ids of both webhooks. */
  readonly webhookIds: readonly string[];
}

/** Two webhooks for incident events: one with a working receiver, and one with a pager that always fails. */
export async function createWebhooks(ask: Ask): Promise<TrafficPlaces> {
  const endpoint = (body: object) => make<{ id: string; url: string }>(ask, "test-endpoints", body);
  const warehouse = await endpoint({ name: "Warehouse", answerBody: '{"ok":true}' });
  const pager = await endpoint({
    name: "Pager",
    answerStatus: 503,
    answerBody: '{"error":"database is read-only"}',
  });
  const webhook = async (name: string, url: string) => {
    const body = { name, url, events: ["incident.*"], retries: 0 };
    return (await make(ask, "webhooks", body)).id;
  };
  const well = await webhook("All to the warehouse", warehouse.url);
  const ill = await webhook("Incidents to the pager", pager.url);
  return { webhookId: ill, endpointId: warehouse.id, webhookIds: [well, ill] };
}

/** Waits until all deliveries are sent, except those of a paused webhook. */
export async function waitUntilSent(ask: Ask, { webhookIds }: TrafficPlaces): Promise<void> {
  for (const id of webhookIds) {
    while (!(await isSent(ask, id))) await pause(POLL_MS);
  }
}

async function isSent(ask: Ask, id: string): Promise<boolean> {
  const { status } = dataOf<{ status: string }>(await ask(`GET /api/v1/webhooks/${id}`), 200);
  if (status === "paused") return true;
  const path = `/api/v1/webhooks/${id}/deliveries?status=pending&limit=1`;
  return dataOf<unknown[]>(await ask(`GET ${path}`), 200).length === 0;
}

/** A CRM, and a workflow that calls it. */
export async function createCrm(ask: Ask, baseUrl: string): Promise<string> {
  const body = { name: "CRM", type: "http", config: { baseUrl }, auth: { kind: "none" } };
  const { id } = await make(ask, "connectors", body);
  await make(ask, "workflows", customerCheck(id));
  return id;
}

/** Requests this number of customers, starting with `first`. One of them is unknown to the CRM. */
export async function askCrm(
  ask: Ask,
  id: string,
  [first, count]: [number, number],
): Promise<void> {
  for (let n = first; n < first + count; n += 1) {
    const input = { method: "GET", path: `/customers/${n}` };
    await ask(`POST /api/v1/connectors/${id}/invoke`, { body: { action: "request", input } });
  }
}
