import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function fresh(more: object = {}) {
  count += 1;
  return {
    name: `Sample ${count}`,
    description: "A sample",
    trigger: { type: "manual" },
    nodes: [],
    edges: [],
    maxConcurrency: 5,
    timeoutMs: 60_000,
    concurrencyKey: "{{ trigger.input.customer }}",
    label: "First",
    changeSummary: "From the sample",
    ...more,
  };
}

/** Definitions are shared by all environments and can be deployed to each. */
async function made(owner: Ask, more: object = {}) {
  const { body } = await owner("POST /api/v1/workflows", fresh(more));
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

async function withVersion(owner: Ask) {
  const workflow = await made(owner);
  const { body } = await owner(`GET /api/v1/workflows/${workflow.params.id}/versions`);
  return { ...workflow, params: { ...workflow.params, versionId: body.data[0].id as string } };
}

async function archived(owner: Ask) {
  const workflow = await made(owner);
  await owner(`DELETE /api/v1/workflows/${workflow.params.id}`);
  return workflow;
}

async function published(owner: Ask) {
  const workflow = await made(owner);
  await owner(`POST /api/v1/workflows/${workflow.params.id}/publish`);
  return workflow;
}

/** The definition differs from the newest version. */
async function restored(owner: Ask) {
  const workflow = await withVersion(owner);
  const { id, versionId } = workflow.params;
  await owner(`PATCH /api/v1/workflows/${id}`, { name: "Changed" });
  await owner(`POST /api/v1/workflows/${id}/versions/${versionId}/restore`);
  return { params: { id }, environmentScoped: false };
}

/** A referenced object was deleted. */
async function broken(owner: Ask) {
  count += 1;
  const secret = `WORKFLOW_SAMPLE_${count}`;
  await owner("POST /api/v1/secrets", { name: secret, value: "a value" });
  const config = { url: "https://example.com", body: `{{ secrets.${secret} }}` };
  const nodes = [{ id: "call", type: "http", config }];
  const workflow = await made(owner, { nodes, edges: [] });
  return { ...workflow, spoil: () => owner(`DELETE /api/v1/secrets/${secret}`) };
}

async function refused(owner: Ask) {
  const { spoil, ...workflow } = await broken(owner);
  await spoil();
  return { ...workflow, status: 422 };
}

export const samples: readonly Sample[] = [
  { operation: "workflows.list", arrange: async () => ({ query: { limit: "2", q: "sample" } }) },
  { operation: "workflows.create", arrange: async () => ({ body: fresh() }) },
  { operation: "workflows.node_types", arrange: async () => ({}) },
  { operation: "workflows.palette", arrange: async () => ({ query: { q: "sample" } }) },
  {
    operation: "workflows.due_times",
    arrange: async () => ({ query: { cron: "0 9 * * *" } }),
  },
  {
    operation: "workflows.import",
    arrange: async () => ({
      body: {
        format: "n8n",
        workflow: { name: "Sample", nodes: [], connections: {} },
        bindings: {},
      },
      environmentScoped: false,
    }),
  },
  { operation: "workflows.validate", arrange: async () => ({ body: fresh() }) },
  { operation: "workflows.get", arrange: (owner) => made(owner) },
  {
    operation: "workflows.update",
    arrange: async (owner) => ({ ...(await made(owner)), body: fresh() }),
  },
  {
    operation: "workflows.replace",
    arrange: async (owner) => ({ ...(await made(owner)), body: fresh() }),
  },
  { operation: "workflows.archive", arrange: published },
  { operation: "workflows.unarchive", arrange: archived },
  {
    operation: "workflows.publish",
    arrange: async (owner) => ({ ...(await made(owner)), body: { label: "Second" } }),
  },
  { operation: "workflows.publish", name: "after a restore", arrange: restored },
  { operation: "workflows.publish", name: "no longer valid", arrange: refused },
  { operation: "workflows.activate", arrange: restored },
  { operation: "workflows.activate", name: "no longer valid", arrange: refused },
  {
    operation: "workflows.activate",
    name: "from a moment",
    async arrange(owner) {
      const { body } = await owner("POST /api/v1/workflows", {
        name: "Late",
        trigger: { type: "event_bus", topic: "late", eventType: "late.one" },
        nodes: [],
        edges: [],
      });
      const from = new Date(Date.now() - 3_600_000).toISOString();
      return { params: { id: body.data.id }, body: { from } };
    },
  },
  { operation: "workflows.deactivate", arrange: published },
  {
    operation: "workflows.rollback",
    arrange: async (owner) => {
      const { params, ...rest } = await withVersion(owner);
      const { versionId, id } = params;
      return { ...rest, params: { id }, body: { versionId } };
    },
  },
  {
    operation: "workflows.rollback",
    name: "no longer valid",
    arrange: async (owner) => {
      const { params, spoil } = await broken(owner);
      await owner(`POST /api/v1/workflows/${params.id}/publish`);
      await owner(`PATCH /api/v1/workflows/${params.id}`, { concurrencyKey: null });
      await owner(`POST /api/v1/workflows/${params.id}/publish`);
      await spoil();
      return { params, environmentScoped: false, status: 422 };
    },
  },
  {
    operation: "workflows.list_versions",
    arrange: async (owner) => ({ ...(await made(owner)), query: { limit: "2" } }),
  },
  {
    operation: "workflows.create_version",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: { label: "Kept", changeSummary: "As it is" },
    }),
  },
  { operation: "workflows.get_version", arrange: withVersion },
  {
    operation: "workflows.label_version",
    arrange: async (owner) => ({ ...(await withVersion(owner)), body: { label: "Renamed" } }),
  },
  { operation: "workflows.restore_version", arrange: withVersion },
  { operation: "workflows.archive_version", arrange: withVersion },
  {
    operation: "workflows.diff_versions",
    arrange: async (owner) => {
      const { params, ...rest } = await withVersion(owner);
      return { ...rest, params: { id: params.id, a: params.versionId, b: "live" } };
    },
  },
  {
    operation: "workflows.diff_draft",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: { definition: { name: "x", nodes: [] }, from: "1" },
    }),
  },
  {
    operation: "workflows.preview_publish",
    arrange: async (owner) => ({ ...(await made(owner)), query: { rollback: "false" } }),
  },
];
