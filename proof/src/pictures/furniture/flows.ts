/** Workflows of the shop and their runs: completed, failed and waiting for a user. */
import { setTimeout as pause } from "node:timers/promises";
import { type Ask, dataOf } from "../../faults/asker.ts";
import { change, make } from "./made.ts";
import type { People } from "./people.ts";
import {
  declinedPayment,
  fulfilOrder,
  nightlySync,
  onboarding,
  paymentTriage,
  priceImport,
  settlement,
} from "./definitions.ts";

const POLL_MS = 100;
const SUPPLIERS = 60;

export interface FlowPlaces {
  readonly editorPath: string;
  readonly waitingRunId: string;
  readonly failedRunId: string;
  readonly causesOf: string;
}

/** Deployed workflows by id. */
export interface Flows {
  readonly fulfil: string;
  readonly settle: string;
  readonly sync: string;
  readonly onboard: string;
  readonly prices: string;
}

export async function createFlows(ask: Ask, people: People, baseUrl: string): Promise<Flows> {
  const connector = async (name: string) => {
    const body = { name, type: "http", config: { baseUrl }, auth: { kind: "none" } };
    return (await make(ask, "connectors", body)).id;
  };
  const carriers = await connector("Carriers");
  const erp = await connector("ERP");
  await deploy(ask, paymentTriage(people.elif.id));
  await deploy(ask, declinedPayment(people.teams.platform));
  return {
    fulfil: await deploy(ask, fulfilOrder(carriers)),
    settle: await deploy(ask, settlement()),
    sync: await deploy(ask, nightlySync(erp)),
    onboard: await deploy(ask, onboarding()),
    prices: await deploy(ask, priceImport(erp)),
  };
}

async function deploy(ask: Ask, definition: object): Promise<string> {
  const { id } = await make(ask, "workflows", definition);
  await change(ask, `POST workflows/${id}/publish`);
  return id;
}

/** Calls the ERP, which does not respond. */
export async function syncInVain(ask: Ask, { sync }: Flows): Promise<string> {
  return start(ask, sync, {}, "failed");
}

/** A run that is still running when a screenshot is taken. */
export async function importPrices(ask: Ask, { prices }: Flows): Promise<void> {
  const suppliers = Array.from({ length: SUPPLIERS }, (_, n) => n + 1);
  await start(ask, prices, { suppliers }, "running");
}

/** Shipped orders, settled days, new employees, and a declined payment. */
export async function runFlows(ask: Ask, people: People, flows: Flows): Promise<FlowPlaces> {
  const declined = await make(ask, "events/topics/payments/publish", {
    type: "payment.declined",
    payload: { order: 3098, customer: "Delta Freight", amount: 1280, reason: "insufficient funds" },
  });
  const order = { number: 3107, customer: "Fjord Foods", country: "NO", total: 702.4 };
  const sent = await start(ask, flows.fulfil, order, "completed");
  const risky = { number: 3112, customer: "Cordis", country: "PT", total: 1940 };
  await start(ask, flows.fulfil, risky, "paused");
  for (const input of [
    { name: "Ines Moreau", role: "Buyer", office: "Lisbon", firstDay: "2026-12-01" },
    { name: "Ravi Menon", role: "Warehouse lead", office: "Oslo", firstDay: "2026-12-07" },
  ]) {
    await start(people.bram.ask, flows.onboard, input, "paused");
  }
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const waitingRunId = await start(ask, flows.settle, { day }, "paused");
  return {
    editorPath: `/workflows/${flows.fulfil}?step=score&run=${sent}`,
    waitingRunId,
    failedRunId: await syncInVain(ask, flows),
    causesOf: declined.id,
  };
}

async function start(ask: Ask, workflow: string, input: object, until: string): Promise<string> {
  const answer = await ask(`POST /api/v1/workflows/${workflow}/trigger`, { body: { input } });
  const { runId } = dataOf<{ runId: string }>(answer, answer.status === 201 ? 201 : 202);
  const read = () => ask(`GET /api/v1/runs/${runId}?steps=0`);
  const statusOf = async () => dataOf<{ status: string }>(await read(), 200).status;
  for (;;) {
    const status = await statusOf();
    if (status === until) return runId;
    if (status === "failed" || status === "completed") {
      throw new Error(`The run of ${workflow} is ${status}, and not ${until}.`);
    }
    await pause(POLL_MS);
  }
}
