import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { deployWorkflow } from "./testing/workflows.ts";

/** Deploys to an environment and triggers the workflow there. */
async function deployForTrigger(owner: Ask, nodes: readonly object[], more: object = {}) {
  const id = await deployWorkflow(owner, nodes, more);
  return { params: { id }, environmentScoped: false };
}

async function startRun(owner: Ask, nodes: readonly object[] = SET): Promise<{ runId: string }> {
  const id = await deployWorkflow(owner, nodes);
  const { body } = await owner(`POST /api/v1/workflows/${id}/trigger`, {});
  return { runId: body.data.runId };
}

const SET = [{ id: "greet", type: "set", config: { values: { hello: "world" } } }];
const FAIL = [{ id: "stop", type: "fail", config: { message: "That is how it is." } }];
const ASK = [{ id: "ask", type: "approval", config: { approvers: ["owner"] } }];

export const samples: readonly Sample[] = [
  {
    operation: "workflows.trigger",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      body: { input: { n: 1 } },
    }),
  },
  {
    operation: "workflows.trigger",
    name: "that waits",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      query: { wait: "1000" },
      status: 200,
    }),
  },
  {
    operation: "workflows.trigger",
    name: "that fails",
    arrange: (owner) => deployForTrigger(owner, FAIL),
  },
  {
    operation: "workflows.trigger",
    name: "that asks somebody",
    arrange: (owner) => deployForTrigger(owner, ASK),
  },
  {
    operation: "workflows.trigger",
    name: "that queues",
    arrange: (owner) => deployForTrigger(owner, SET, { maxConcurrency: 1 }),
  },
  {
    operation: "runs.counts",
    arrange: async (owner) => {
      await startRun(owner);
      return { query: { test: "false" } };
    },
  },
  { operation: "runs.summary", arrange: async (owner) => ({ params: await startRun(owner) }) },
  { operation: "runs.steps", arrange: async (owner) => ({ params: await startRun(owner) }) },
  {
    operation: "runs.step",
    arrange: async (owner) => ({ params: { ...(await startRun(owner)), stepId: "greet" } }),
  },
  {
    operation: "runs.list",
    arrange: async (owner) => {
      await startRun(owner);
      return { query: { status: "completed", limit: "2" } };
    },
  },
  {
    operation: "workflows.runs",
    arrange: async (owner) => ({
      params: { id: await deployWorkflow(owner, SET) },
      environmentScoped: false,
    }),
  },
  { operation: "runs.get", arrange: async (owner) => ({ params: await startRun(owner) }) },
  { operation: "runs.stream", arrange: async (owner) => ({ params: await startRun(owner) }) },
  { operation: "runs.cancel", arrange: async (owner) => ({ params: await startRun(owner, ASK) }) },
  {
    operation: "runs.retry",
    arrange: async (owner) => ({ params: await startRun(owner, FAIL), body: { from: "failed" } }),
  },
  {
    operation: "runs.retry_many",
    arrange: async (owner) => {
      await startRun(owner, FAIL);
      return { body: { filter: { status: "failed" }, limit: 1 } };
    },
  },
  {
    operation: "runs.cancel_many",
    arrange: async (owner) => {
      await startRun(owner, ASK);
      return { body: { filter: { status: "paused" }, limit: 1 } };
    },
  },
  {
    operation: "approvals.list_decided",
    arrange: async (owner) => {
      const { runId } = await startRun(owner, ASK);
      await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true });
      return { query: { limit: "2" } };
    },
  },
  {
    operation: "runs.resume",
    arrange: async (owner) => ({
      params: await startRun(owner, ASK),
      body: { approved: true, comment: "Fine." },
    }),
  },
  {
    operation: "approvals.list",
    arrange: async (owner) => {
      await startRun(owner, ASK);
      return { query: { limit: "2" } };
    },
  },
  {
    operation: "workflows.test",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      body: { input: 1, mocks: { greet: 2 } },
    }),
  },
  {
    operation: "workflows.rehearse",
    arrange: async (owner) => ({ ...(await deployForTrigger(owner, SET)), body: { lastRuns: 5 } }),
  },
  {
    operation: "workflows.backfill",
    arrange: async (owner) => ({
      ...(await deployScheduled(owner)),
      body: { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" },
    }),
  },
  { operation: "workflows.list_backfills", arrange: deployScheduled },
  { operation: "backfills.get", arrange: startBackfill },
  { operation: "backfills.cancel", arrange: startBackfill },
  {
    operation: "workflows.backtest",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      body: {
        definition: {
          name: "Heard",
          trigger: { type: "event_bus", topic: "workflow", eventType: "workflow.created" },
          nodes: [],
          edges: [],
        },
      },
    }),
  },
  { operation: "workflows.list_state", arrange: (owner) => deployForTrigger(owner, SET) },
  {
    operation: "workflows.get_state",
    arrange: async (owner) => {
      const { params } = await deployForTrigger(owner, SET);
      const change = { action: "increment", key: "count", by: 2 };
      await owner(`POST /api/v1/workflows/${params.id}/state`, change);
      // An unset value is null, in each environment separately.
      return { params: { ...params, key: "count" }, openParams: true, environmentScoped: false };
    },
  },
  {
    operation: "workflows.change_state",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      body: { action: "increment", key: "count", by: 2 },
    }),
  },
  { operation: "workflows.pinned_data", arrange: (owner) => deployForTrigger(owner, SET) },
  {
    operation: "workflows.pin_data",
    arrange: async (owner) => ({
      ...(await deployForTrigger(owner, SET)),
      body: { greet: "hello" },
    }),
  },
  {
    operation: "workflows.pin_output",
    arrange: async (owner) => withKey(await deployForTrigger(owner, SET), { output: "hello" }),
  },
  {
    operation: "workflows.unpin_output",
    arrange: async (owner) => {
      const workflow = await deployForTrigger(owner, SET);
      await owner(`PUT /api/v1/workflows/${workflow.params.id}/pinned-data`, { greet: "hello" });
      // A step without pinned output has none afterwards either.
      return { ...withKey(workflow), openParams: true };
    },
  },
  { operation: "workflows.triggers", arrange: (owner) => deployForTrigger(owner, SET) },
  { operation: "workflows.held_events", arrange: (owner) => deployForTrigger(owner, SET) },
  {
    operation: "expressions.preview",
    arrange: async () => ({ body: { texts: [{ template: "{{ 1 + 1 }}" }] } }),
  },
  {
    operation: "expressions.scope",
    arrange: async () => ({ body: { values: { trigger: { input: 1 } } } }),
  },
];

function withKey<T extends { readonly params: { readonly id: string } }>(
  workflow: T,
  body?: Readonly<Record<string, unknown>>,
) {
  return { ...workflow, params: { ...workflow.params, key: "greet" }, ...(body && { body }) };
}

async function deployScheduled(owner: Ask) {
  const trigger = { type: "schedule", cron: "0 9 * * *" };
  const id = await deployWorkflow(owner, SET, { trigger });
  return { params: { id }, environmentScoped: false };
}

async function startBackfill(owner: Ask): Promise<{ params: { id: string } }> {
  const { params } = await deployScheduled(owner);
  const span = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
  const { body } = await owner(`POST /api/v1/workflows/${params.id}/backfill`, span);
  return { params: { id: body.data.backfill.id } };
}
