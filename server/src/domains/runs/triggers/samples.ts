import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";

const SET = { id: "keep", type: "set", config: { values: { seen: "{{ trigger.input.body }}" } } };
const STOP = { id: "stop", type: "fail", config: { message: "Not today." } };
const ASK = { id: "ask", type: "approval", config: { approvers: ["owner"] } };

async function deployWebhook(owner: Ask, node: object, more: object = {}) {
  const id = await deployWorkflow(owner, [node], { trigger: { type: "webhook" }, ...more });
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  const [workspace = "", token = ""] = new URL(body.data.trigger.url).pathname.split("/").slice(2);
  return { params: { workspace, token }, body: { any: "thing" } };
}

export const samples: readonly Sample[] = [
  { operation: "hooks.receive", arrange: (owner) => deployWebhook(owner, SET) },
  {
    operation: "hooks.receive",
    name: "that fails",
    arrange: (owner) => deployWebhook(owner, STOP),
  },
  {
    operation: "hooks.receive",
    name: "that asks somebody",
    arrange: (owner) => deployWebhook(owner, ASK),
  },
  {
    operation: "hooks.receive",
    name: "that queues",
    arrange: (owner) => deployWebhook(owner, SET, { maxConcurrency: 1 }),
  },
];
