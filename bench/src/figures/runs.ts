import { compare, together } from "../compare.ts";
import type { Figure, Measured } from "../figure.ts";
import type { Load } from "../load.ts";
import { newOrders } from "../request.ts";
import type { Rig } from "../rig.ts";
import { deploy, ORDERS } from "../workflow.ts";

const CONNECTIONS = [16, 64];
const RATIO = 0.3;

/** Durable runs with computation, branch and response, against two commits of one row and the same response. */
export const runs: Figure = {
  name: "runs",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const reference = await rig.startReference();
    const { hookPath } = await deploy(product, ORDERS);
    const parts: Record<string, Measured> = {};
    for (const connections of CONNECTIONS) {
      const common = { status: 200, connections };
      const contest = {
        ours: { ...common, port: product.port, next: newOrders(hookPath) },
        reference: { ...common, port: reference.port, next: newOrders("/runs") },
        ratioAtLeast: RATIO,
      };
      parts[`${connections} connections`] = await compare(contest, effort);
    }
    await assertDurable(rig, parts);
    return together(parts);
  },
};

/** Every response must have a completed run with its journal and two events. */
async function assertDurable(rig: Rig, parts: Readonly<Record<string, Measured>>): Promise<void> {
  const answered = Object.values(parts)
    // The per-round results of `compare`.
    .flatMap(({ values }) => values["ours"] as readonly Load[])
    .reduce((sum, { requests }) => sum + requests, 0);
  const [row] = await rig.query<{ runs: number; journals: number; events: number }>(`
    select (select count(*) from runs where status = 'completed')::int as runs,
           (select count(distinct run_id) from run_journal)::int as journals,
           (select count(*) from events
             where type in ('workflow.run_started', 'workflow.run_completed'))::int as events`);
  const { runs: written = 0, journals = 0, events = 0 } = row ?? {};
  if (written < answered || journals !== written || events !== 2 * written) {
    throw new Error(`${answered} runs were answered, but ${JSON.stringify(row)} written.`);
  }
}
